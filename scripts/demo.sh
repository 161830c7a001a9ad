#!/usr/bin/env bash
# The program at work, from a fresh clone: installs what building needs, builds build/spml, makes a
# data set and compares what can be learnt from all labels (bce) with what can be learnt from one
# positive label per example (the others). What is done already is not done again.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh build
if [[ ! -f build/build.ninja ]]; then cmake --preset release -DSPML_TESTS=OFF >/dev/null; fi
cmake --build build --target spml_program --parallel "$(nproc)"

if [[ ! -d build/demo/data ]]; then build/spml synth --out build/demo/data; fi
build/spml sweep build/demo/data --loss bce,an,an-ls,role --lr 1e-2,1e-3,1e-4 --batch 16 \
  --out build/demo/sweep
