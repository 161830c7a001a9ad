#!/usr/bin/env bash
# Builds the benchmark of linear training in build-bench, describes the machine and runs it.
#   bench/run.sh           a table
#   bench/run.sh --json    the numbers, on stdout
set -euo pipefail
cd "$(dirname "$0")/.."

[[ -f build-bench/build.ninja ]] ||
  cmake -S . -B build-bench -G Ninja -DCMAKE_BUILD_TYPE=Release -DSPML_BENCH=ON >&2
cmake --build build-bench --target train_bench >&2
{
  lscpu | grep -E '^(Model name|CPU\(s\)|L1d|L2|L3)' | sed 's/  */ /'
  echo "Load: $(cut -d' ' -f1-3 /proc/loadavg)"
} >&2
build-bench/train_bench "$@"
