#!/usr/bin/env bash
# The table of docs/reproducing.md on small VOC12 images: AN, AN-LS and ROLE, each with a linear
# classifier on fixed features, fine-tuned, and fine-tuned from the linear classifier.
#   bench/voc12_160px.sh DATA_DIR OUT_DIR    needs `spml weights fetch`; SPML names the program
# A rerun goes on where an earlier one was stopped. SIZE, FINETUNE_EPOCHS, FINETUNE_LR, INIT_EPOCHS,
# INIT_LR, BATCH and THREADS change the settings. On a machine that others keep busy THREADS=1 is the
# fastest: threads that wait for each other wait for others, too.
set -euo pipefail
if [[ $# != 2 ]]; then
  echo "usage: bench/voc12_160px.sh DATA_DIR OUT_DIR" >&2
  exit 2
fi
data=$(realpath "$1")
out=$2
spml=${SPML:-$(dirname "$0")/../build/spml}
size=${SIZE:-128}
losses=(an an-ls role)
threads=${THREADS:-$(nproc)}
network=(--size "$size" --batch "${BATCH:-16}" --threads "$threads" --resume --quiet)

# The data folder with links to the images, so that the features have a place of their own.
mkdir -p "$out/data"
for file in "$data"/formatted_*.npy "$data/images"; do ln -sfn "$file" "$out/data/"; done
[[ -f $out/data/dataset.json ]] || cp "$data/dataset.json" "$out/data/"

say() { echo "$(date +%H:%M:%S) $*" >&2; }
if [[ ! -f $out/data/val_features_imagenet_resnet50.npy ]]; then
  say "features at $size px"
  "$spml" extract "$out/data" --size "$size" --threads "$threads"
fi
say "linear, the paper's grid"
"$spml" sweep "$out/data" --loss "$(IFS=,; echo "${losses[*]}")" --out "$out/linear" --quiet
for loss in "${losses[@]}"; do
  say "linear-init $loss"
  "$spml" train "$out/data" --preset paper-finetune --mode linear-init --loss "$loss" --init "$out/linear" \
    --epochs "${INIT_EPOCHS:-1}" --lr "${INIT_LR:-1e-5}" "${network[@]}" --out "$out/linear-init-$loss"
  say "finetune $loss"
  "$spml" train "$out/data" --preset paper-finetune --loss "$loss" \
    --epochs "${FINETUNE_EPOCHS:-2}" --lr "${FINETUNE_LR:-1e-4}" "${network[@]}" --out "$out/finetune-$loss"
done

# field FILE NAME: a number of a result.json
field() { sed -n "s/^  \"$2\": \([0-9.e+-]*\),\?$/\1/p" "$1"; }
printf '%-12s %-8s %6s %9s %9s %9s %9s\n' mode loss epochs 'val MAP' 'test MAP' 'train MAP' minutes
for loss in "${losses[@]}"; do
  best=$(grep -o "\"run\": \"runs/$loss-lr[^\"]*" "$out/linear/best.json" | cut -d'"' -f4)
  for run in "$out/linear/$best" "$out/finetune-$loss" "$out/linear-init-$loss"; do
    result=$run/result.json
    mode=$(sed -n 's/^  "mode": "\(.*\)",$/\1/p' "$result")
    printf '%-12s %-8s %6d %9.2f %9.2f %9.2f %9.1f\n' "$mode" "$loss" "$(field "$result" epochs)" \
      "$(field "$result" val_map)" "$(field "$result" test_map)" "$(field "$result" train_map)" \
      "$(echo "$(field "$result" seconds) / 60" | bc -l)"
  done
done
