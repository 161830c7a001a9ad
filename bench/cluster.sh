#!/usr/bin/env bash
# What a second rank gains, one thread a rank, and what the exchange costs (docs/cluster.md):
#   bench/cluster.sh PROGRAM [labels|rows|sweep|extract|finetune|exchange|memory|kills|hosts]...
# One rank and two take turns; the ratio is that of the fastest of each. The two are started by
# mpirun, the one without.
set -euo pipefail
program=$(realpath "${1:?expected the built program}")
shift
parts=("$@")
if [[ ${#parts[@]} == 0 ]]; then parts=(labels rows sweep extract finetune exchange memory kills hosts); fi
turns=${TURNS:-3}

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_base_warn_component_unused=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The program, which leaves its processor seconds behind.
cat >"$folder/timed" <<END
#!/usr/bin/env python3
import os, resource, subprocess, sys
code = subprocess.call(["$program"] + sys.argv[1:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(f"$folder/busy.{os.getpid()}", "w") as out:
    print(used.ru_utime + used.ru_stime, file=out)
sys.exit(code)
END
chmod +x "$folder/timed"

ranks() {  # NUMBER WORD...: the program by so many ranks
  local number=$1
  shift
  rm -f "$folder"/busy.*
  if [[ $number == 1 ]]; then
    "$folder/timed" "$@"
  else
    mpirun -n "$number" "$folder/timed" "$@"
  fi
}

field() { python3 -c 'import json, sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }

# compare NAME FIELD WORD...: seconds of one rank and of two, in turns. OUT stands for a fresh folder.
# Beside the wall, the processor seconds of the busiest rank: what the wall would be with nothing else
# on the machine, where ranks hardly wait for each other.
compare() {
  local name=$1 key=$2 best1=1e9 best2=1e9 busy1=1e9 busy2=1e9 n seconds
  shift 2
  for ((turn = 0; turn < turns; ++turn)); do
    for n in 1 2; do
      rm -rf "$folder/out"
      prepare_turn
      seconds=$(ranks "$n" "${@//OUT/$folder/out}" --threads 1 --json --quiet 2>/dev/null | field "$key")
      local busy
      busy=$(sort -g "$folder"/busy.* | tail -1)
      if [[ $n == 1 ]]; then
        best1=$(python3 -c "print(min($best1, $seconds))") busy1=$(python3 -c "print(min($busy1, $busy))")
      else
        best2=$(python3 -c "print(min($best2, $seconds))") busy2=$(python3 -c "print(min($busy2, $busy))")
      fi
    done
  done
  python3 -c "print(f'$name: {$best1:.2f} s, {$best2:.2f} s, {$best1/$best2:.2f}x;' \
    f' processor {$busy1:.2f} s, {$busy2:.2f} s, {$busy1/$busy2:.2f}x')"
}
prepare_turn() { :; }

synth() { "$program" synth --out "$@" --quiet >&2; }

labels() {
  for size in 1000 5000; do
    synth "$folder/l$size" --rows 2000 --labels "$size" --features 512 --expected-positives 3
    for loss in an role; do
      compare "label split, L = $size, D = 512, batch 64, $loss" train_seconds \
        train "$folder/l$size" --loss "$loss" --batch 64 --epochs 4 --out OUT
    done
  done
}

rows() {
  synth "$folder/rows" --rows 20000 --labels 100 --features 512
  for sync in 1 16 auto; do
    compare "row split, L = 100, D = 512, batch 64, role, sync-every $sync" train_seconds \
      train "$folder/rows" --loss role --batch 64 --epochs 4 --shard-by rows --sync-every "$sync" --out OUT
  done
}

sweep() {
  synth "$folder/sweep" --rows 6000 --labels 20 --features 2048
  compare "sweep of 16 runs" seconds \
    sweep "$folder/sweep" --loss an,role --epochs 25 --jobs 1 --out OUT
}

extract() {
  local weights=${WEIGHTS:-$HOME/.cache/spml/resnet50-imagenet.safetensors}
  synth "$folder/images" --rows 256 --images
  prepare_turn() { rm -f "$folder"/images/*features*; }
  compare "extraction of 320 images" seconds \
    extract "$folder/images" --weights "$weights" --size 224 --force
  prepare_turn() { :; }
}

# A batch of 16 on one rank is two parts of 8 on two: the same images, other batch statistics.
finetune() {
  local weights=${WEIGHTS:-$HOME/.cache/spml/resnet50-imagenet.safetensors}
  synth "$folder/tune" --rows 80 --images
  for from in conv1 layer4; do
    compare "fine-tuning of ResNet-50, 160 x 160, batch 16, from $from" train_seconds \
      train "$folder/tune" --mode finetune --loss role --weights "$weights" --size 160 --batch 16 \
      --epochs "${EPOCHS:-1}" --train-from "$from" --out OUT
  done
}

# The largest anonymous memory of any rank in the row split: estimates, labels that were drawn, model.
memory() {
  synth "$folder/memory" --rows 250000 --labels 400 --features 32
  for n in 1 2 4; do
    mpirun -n "$n" "$program" train "$folder/memory" --loss role --epochs 1 --batch 256 --threads 1 \
      --quiet --shard-by rows --out "$folder/memory$n" >"$folder/log" 2>&1 &
    local job=$! peak=0 now
    while kill -0 "$job" 2>/dev/null; do
      for pid in $(pgrep -f -- "^$program train $folder/memory " || true); do
        now=$(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status" 2>/dev/null || true)
        if ((${now:-0} > peak)); then peak=$now; fi
      done
      sleep 0.05
    done
    wait "$job"
    echo "memory of a rank, row split, N = 200,000 training rows, L = 400, $n ranks: $((peak / 1024)) MiB"
    rm -rf "$folder/memory$n"
  done
}

# Kills one of three ranks at a random moment: how long the others live, and whether what --resume
# makes of it has the bytes of an undisturbed run.
kills() {
  synth "$folder/kills" --rows 3000 --labels 20 --features 64
  local words=(train "$folder/kills" --loss role --epochs 200 --threads 1 --quiet)
  "$program" "${words[@]}" --out "$folder/whole" >"$folder/log"
  local slowest=0 same=0 killed=0 number=${KILLS:-20}
  for ((i = 0; i < number; ++i)); do
    local out=$folder/kill$i
    mpirun -n 3 "$program" "${words[@]}" --out "$out" --checkpoint-every 500 --resume >"$folder/log" 2>&1 &
    local job=$!
    sleep "$(python3 -c "import random; print(random.uniform(0.3, ${SPAN:-4}))")"
    local victims
    victims=$(pgrep -f -- "^$program train $folder/kills .*--out $out " || true)
    victims=($victims)
    if [[ ${#victims[@]} == 3 ]]; then
      local begin
      begin=$(date +%s.%N)
      kill -9 "${victims[RANDOM % 3]}" && killed=$((killed + 1))
      wait "$job" || true
      slowest=$(python3 -c "import time; print(max($slowest, time.time() - $begin))")
    else
      wait "$job" || true
    fi
    ranks $((2 + i % 3)) "${words[@]}" --out "$out" --resume >"$folder/log" 2>&1
    if cmp -s "$folder/whole/model.safetensors" "$out/model.safetensors" &&
      cmp -s "$folder/whole/estimates.npy" "$out/estimates.npy"; then
      same=$((same + 1))
    fi
    rm -rf "$out"
  done
  echo "kills: $killed of $number hit, slowest end of all ranks after $(printf %.1f "$slowest") s," \
    "$same of $number resumed to the same bytes"
}

# Two network namespaces as two hosts.
hosts() {
  local on_hosts weights=${WEIGHTS:-$HOME/.cache/spml/resnet50-imagenet.safetensors}
  on_hosts=$(dirname "$(realpath "$0")")/../tests/mpi/on_two_hosts.sh
  "$on_hosts" sh -c 'echo "rank $OMPI_COMM_WORLD_RANK on $(hostname), $(ip -4 -o addr show | grep -o "10.99.0.[12]" | head -1)"' ||
    return 0  # it has said why
  synth "$folder/both" --rows 1000 --labels 40 --features 64
  local words=(train "$folder/both" --loss role --epochs 5 --quiet --out)
  "$program" "${words[@]}" "$folder/alone" >"$folder/log"
  "$on_hosts" "$program" "${words[@]}" "$folder/two" >"$folder/log"
  cmp "$folder/alone/model.safetensors" "$folder/two/model.safetensors" && echo "hosts: training, same bytes"
  synth "$folder/pictures" --rows 24 --images
  words=(extract "$folder/pictures" --weights "$weights" --size 224 --quiet --force)
  "$program" "${words[@]}" >"$folder/log"
  sha256sum "$folder"/pictures/*features*.npy >"$folder/sums"
  "$on_hosts" "$program" "${words[@]}" >"$folder/log"
  sha256sum --check --quiet "$folder/sums" && echo "hosts: extraction, same bytes"
  exchange_on "$on_hosts" "two hosts"
}

# What a sum over two ranks costs, by size: between processes, and by TCP between the two hosts.
exchange() { exchange_on "mpirun -n 2" "one machine"; }
exchange_on() {  # LAUNCHER NAME
  local bench
  bench=$(dirname "$program")/exchange_bench
  if [[ -x $bench ]]; then
    $1 "$bench" | sed "s/^/exchange, $2: /"
  else
    echo "exchange: skipped, configure with -DSPML_BENCH=ON"
  fi
}

for part in "${parts[@]}"; do "$part"; done
