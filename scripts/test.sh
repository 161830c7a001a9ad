#!/usr/bin/env bash
# What has to hold on every machine, from a fresh clone: installs what is missing, builds the program
# (build/spml) with warnings as errors, and runs all tests that need no LibTorch. scripts/check.sh
# does the rest: LibTorch, sanitizers, fuzzing, the checks of style.
#   scripts/test.sh          everything
#   scripts/test.sh fast     for every commit: leaves out several processes, browsers, damaged files and
#                            runs that are killed; under three minutes once it is built
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/steps.sh
if [[ $# -gt 1 || ($# == 1 && $1 != fast) ]]; then
  echo "test: expected nothing or 'fast', found '$*'" >&2
  exit 2
fi
preset=release
if [[ ${1:-} == fast ]]; then preset=fast; fi

step "install packages" scripts/install.sh build test mpi
step "release build, warnings are errors" configure_and_build release -DSPML_WERROR=ON -DSPML_TESTS=ON
step "tests" ctest --preset "$preset" --parallel "$jobs"
