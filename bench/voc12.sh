#!/usr/bin/env bash
# Whole commands against the clock, with validation, checkpoints, final test and all files written.
#   bench/voc12.sh DATA_DIR    DATA_DIR: the VOC12 data folder
# COCO's shape is made up in a temporary folder (about 1 GB; TMPDIR chooses where).
set -euo pipefail
if [[ $# != 1 ]]; then
  echo "usage: bench/voc12.sh DATA_DIR" >&2
  exit 2
fi
data=$(realpath "$1")
cd "$(dirname "$0")/.."

[[ -f build-bench/build.ninja ]] ||
  cmake -S . -B build-bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DSPML_BENCH=ON >&2
cmake --build build-bench --target spml_program >&2
spml=build-bench/spml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "Cores: $(nproc). Load: $(cut -d' ' -f1-3 /proc/loadavg)." >&2

seconds=0
# measure COMMAND...: its wall-clock seconds
measure() {
  local start end
  start=$(date +%s.%N)
  "$@" >/dev/null
  end=$(date +%s.%N)
  seconds=$(echo "$end - $start" | bc)
}
# best TIMES COMMAND...: the best of several, for commands that take less than a moment's noise
best() {
  local times=$1 least
  shift
  measure "$@"
  least=$seconds
  for ((i = 1; i < times; ++i)); do
    measure "$@"
    if [[ $(echo "$seconds < $least" | bc) == 1 ]]; then least=$seconds; fi
  done
  seconds=$least
}
report() { printf '%-52s %7.2f s   target %5.1f s\n' "$1" "$seconds" "$2"; }

best 3 "$spml" train --quiet "$data" --loss an --threads 1 --overwrite --out "$work/run"
report "VOC12, an, 25 epochs, one thread" 0.8
best 3 "$spml" train --quiet "$data" --loss role --threads 1 --overwrite --out "$work/run"
report "VOC12, role, 25 epochs, one thread" 1.3

# Nine losses, the paper's grid of eight settings. iu needs an observed negative in each row.
measure "$spml" sweep --quiet "$data" --loss bce bce-ls iun an an-ls wan epr role \
  --out "$work/sweep"
eight=$seconds
measure "$spml" sweep --quiet "$data" --loss iu --observe pos=1,neg=1,seed=1200 \
  --out "$work/sweep-iu"
seconds=$(echo "$eight + $seconds" | bc)
report "VOC12, 9 losses x 8 settings x 25 epochs, 2 cores" 60

"$spml" synth --rows 82081 --labels 80 --features 2048 --out "$work/coco" >/dev/null
measure "$spml" train --quiet "$work/coco" --loss role --threads 2 --out "$work/coco-run"
report "COCO shape, role, 25 epochs, two threads" 60
