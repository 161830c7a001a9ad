#!/usr/bin/env bash
# What a second rank gains, one thread a rank, and what the exchange costs (docs/cluster.md):
#   bench/cluster.sh PROGRAM [labels|rows|sweep|extract|memory|kills|hosts]...
# One rank and two take turns; the ratio is that of the fastest of each. The two are started by
# mpirun, the one without.
set -euo pipefail
program=$(realpath "${1:?expected the built program}")
shift
parts=("$@")
if [[ ${#parts[@]} == 0 ]]; then parts=(labels rows sweep extract memory kills hosts); fi
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

# Two network namespaces as two hosts. What starts the second daemon stands in for ssh.
hosts() {
  if ! ip netns add spml-a 2>/dev/null; then
    echo "hosts: skipped, this machine allows no network namespaces"
    return
  fi
  trap 'ip netns del spml-a; ip netns del spml-b; rm -rf "$folder"' EXIT
  ip netns add spml-b
  ip link add spml-va netns spml-a type veth peer name spml-vb netns spml-b
  ip -n spml-a addr add 10.99.0.1/24 dev spml-va
  ip -n spml-b addr add 10.99.0.2/24 dev spml-vb
  for side in a b; do
    ip -n spml-$side link set lo up
    ip -n spml-$side link set spml-v$side up
  done
  cat >"$folder/agent" <<END
#!/bin/sh
shift  # the host: there is one other
exec ip netns exec spml-b unshare --uts sh -c "hostname spml-host-b; \$*"
END
  chmod +x "$folder/agent"
  printf '10.99.0.1 slots=1\n10.99.0.2 slots=1\n' >"$folder/hosts"
  on_hosts() {
    ip netns exec spml-a mpirun --mca plm_rsh_agent "$folder/agent" --mca btl tcp,self \
      --mca btl_tcp_if_include 10.99.0.0/24 --mca oob_tcp_if_include 10.99.0.0/24 \
      --hostfile "$folder/hosts" -n 2 "$@"
  }
  on_hosts sh -c 'echo "rank $OMPI_COMM_WORLD_RANK on $(hostname), $(ip -4 -o addr show | grep -o "10.99.0.[12]" | head -1)"'
  synth "$folder/both" --rows 1000 --labels 40 --features 64
  "$program" train "$folder/both" --loss role --epochs 5 --quiet --out "$folder/alone" >"$folder/log"
  on_hosts "$program" train "$folder/both" --loss role --epochs 5 --quiet --out "$folder/two" >"$folder/log"
  cmp "$folder/alone/model.safetensors" "$folder/two/model.safetensors" && echo "hosts: training, same bytes"
  synth "$folder/pictures" --rows 24 --images
  local weights=${WEIGHTS:-$HOME/.cache/spml/resnet50-imagenet.safetensors}
  local words=(extract "$folder/pictures" --weights "$weights" --size 224 --quiet --force)
  "$program" "${words[@]}" >"$folder/log"
  sha256sum "$folder"/pictures/*features*.npy >"$folder/sums"
  on_hosts "$program" "${words[@]}" >"$folder/log"
  sha256sum --check --quiet "$folder/sums" && echo "hosts: extraction, same bytes"
}

for part in "${parts[@]}"; do "$part"; done
