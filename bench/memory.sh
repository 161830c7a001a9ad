#!/usr/bin/env bash
# Label estimates past N x L: trains ROLE with factored estimates on 2,000,000 rows and 1,000 labels
# and reports the largest anonymous memory (RssAnon) of making the data and of training.
#   bench/memory.sh [TRAIN_FLAGS...]    default: --estimator factored --rank 16 --epochs 1
# The data (5 GB) is made in a temporary folder, which TMPDIR chooses, and removed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
rows=${ROWS:-2000000} labels=${LABELS:-1000} features=${FEATURES:-64}
flags=("$@")
[[ $# != 0 ]] || flags=(--estimator factored --rank 16 --epochs 1)

[[ -f build-bench/build.ninja ]] ||
  cmake -S . -B build-bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DSPML_BENCH=ON >&2
cmake --build build-bench --target spml_program >&2
spml=build-bench/spml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# measure NAME COMMAND...: prints its seconds and its largest RssAnon, looked at ten times a second.
measure() {
  local name=$1 peak=0 now pid start=$SECONDS
  shift
  "$@" &
  pid=$!
  while now=$(awk '/^RssAnon/ { print $2 }' "/proc/$pid/status" 2>/dev/null) && [[ -n $now ]]; do
    ((now <= peak)) || peak=$now
    sleep 0.1
  done
  wait "$pid"
  printf '%-8s %6d s   %7.1f MiB anonymous\n' "$name" $((SECONDS - start)) \
    "$(echo "$peak / 1024" | bc -l)"
}

measure synth "$spml" synth --rows "$rows" --test-rows 50000 --labels "$labels" \
  --features "$features" --out "$work/data"
measure train "$spml" train "$work/data" --loss role "${flags[@]}" --out "$work/run"
cat "$work/run/metrics.jsonl"
