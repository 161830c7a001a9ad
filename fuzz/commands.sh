#!/usr/bin/env bash
# Runs the whole program on damaged folders: fuzz/commands.sh [SECONDS] [SEED]. It is that of build,
# or of $BUILD: BUILD=build-dev for AddressSanitizer and UBSan. What is found is kept in
# commands-findings/.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
cmake --build "$build" --target fuzz_commands spml_program
exec "$build/fuzz_commands" "$build/spml" "${1:-300}" ${2:+"$2"}
