#!/usr/bin/env bash
# The program at work, from a fresh clone: installs what building needs, builds build/spml, makes a
# data set and learns from one positive label per example. What is done already is not done again.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh build
if [[ ! -f build/build.ninja ]]; then cmake --preset release -DSPML_TESTS=OFF >/dev/null; fi
cmake --build build --target spml_program --parallel "$(nproc)"

if [[ ! -d build/demo/data ]]; then build/spml synth --out build/demo/data; fi
build/spml train build/demo/data --loss role --out build/demo/role --resume
