#!/usr/bin/env bash
# The program at work, from a fresh clone: installs what building needs, builds build/spml, makes a
# data set, trains every loss of the paper's first table over its grid and says what that shows.
# What is done already is not done again.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install.sh build
if [[ ! -f build/build.ninja ]]; then
  cmake --preset release -DSPML_TESTS=OFF -DSPML_UNITY=ON >/dev/null
fi
cmake --build build --target spml_program --parallel "$(nproc)"

build/spml demo --out build/demo
