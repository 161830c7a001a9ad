#!/usr/bin/env bash
# Formats every C++ file of the project; with --check, only says which ones differ and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t files < <(find include src tests bench fuzz examples python \
  \( -name '*.h' -o -name '*.cc' \) 2>/dev/null | sort)
case ${1:-} in
  --check) clang-format --dry-run --Werror "${files[@]}" ;;
  '') clang-format -i "${files[@]}" ;;
  *)
    echo "usage: scripts/format.sh [--check]" >&2
    exit 2
    ;;
esac
