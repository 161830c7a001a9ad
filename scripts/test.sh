#!/usr/bin/env bash
# What has to hold on every machine, from a fresh clone: installs what is missing, builds the program
# (build/spml) with warnings as errors, and runs all tests that need no LibTorch. scripts/check.sh
# does the rest: LibTorch, sanitizers, fuzzing, the checks of style.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/steps.sh

step "install packages" scripts/install.sh build test mpi
step "release build, warnings are errors" configure_and_build release -DSPML_WERROR=ON -DSPML_TESTS=ON
step "tests" ctest --preset release --parallel "$jobs"
