#!/usr/bin/env bash
# Runs the whole program on damaged folders: fuzz/commands.sh [SECONDS] [SEED]. The program is
# build/spml, or $SPML. What is found is kept in commands-findings/.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --build build --target fuzz_commands
exec build/fuzz_commands "${SPML:-build/spml}" "${1:-300}" ${2:+"$2"}
