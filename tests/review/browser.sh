#!/usr/bin/env bash
# The review in a real browser: Debian's Chromium, driven by playwright-core from npm.
#   browser.sh SPML WORK PICTURES JOURNEY...   WORK keeps what npm fetched; PICTURES: a folder for
#                                              screenshots, or ""; JOURNEY: of browser/, without .cjs
set -euo pipefail
spml=$(realpath "$1")
work=$2
pictures=$3
here=$(cd "$(dirname "$0")" && pwd)
for program in chromium node npm; do
  if ! command -v "$program" >/dev/null; then
    echo "skipped: $program is not installed (scripts/install.sh build test)"
    exit 77
  fi
done
packages="playwright-core@1.65.0 axe-core@4.14.0"
mkdir -p "$work"
(
  flock 9 # tests run side by side
  if [[ ! -f $work/version.txt || $(<"$work/version.txt") != "$packages" ]]; then
    # shellcheck disable=SC2086
    npm install --loglevel=error --no-save --no-package-lock --ignore-scripts --no-audit --no-fund \
      --prefix "$work" $packages >/dev/null
    echo "$packages" >"$work/version.txt"
  fi
) 9>"$work/lock"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export NODE_PATH="$work/node_modules" SPML="$spml" FOLDER="$folder" PICTURES="$pictures"
for journey in "${@:4}"; do node "$here/browser/$journey.cjs"; done
