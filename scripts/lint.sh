#!/usr/bin/env bash
# clang-tidy (.clang-tidy) over the sources whose path matches one of the regular expressions
# given, or over all of src/. Needs a configured build folder: BUILD (build).
#   scripts/lint.sh                 everything
#   scripts/lint.sh src/metrics     one folder
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}

if [[ ! -f $build/compile_commands.json ]]; then
  echo "lint: expected $build/compile_commands.json; run cmake --preset release first" >&2
  exit 1
fi
if [[ $# == 0 ]]; then set -- "$PWD/src/"; fi
# clang does not know some of GCC's warning flags; they are not what is checked here.
run-clang-tidy -quiet -p "$build" -j "$(nproc)" -extra-arg=-Wno-unknown-warning-option "$@"
