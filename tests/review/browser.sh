#!/usr/bin/env bash
# The review in a real browser: Debian's Chromium, driven by playwright-core from npm.
#   browser.sh SPML WORK [PICTURES]     WORK keeps playwright-core; PICTURES: folder for screenshots
set -euo pipefail
spml=$(realpath "$1")
work=$2
pictures=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
for program in chromium node npm; do
  if ! command -v "$program" >/dev/null; then
    echo "skipped: $program is not installed (scripts/install.sh build test)"
    exit 77
  fi
done
package=playwright-core@1.65.0
mkdir -p "$work"
if [[ ! -f $work/version.txt || $(<"$work/version.txt") != "$package" ]]; then
  npm install --loglevel=error --no-save --no-package-lock --ignore-scripts --no-audit --no-fund \
    --prefix "$work" "$package" >/dev/null
  echo "$package" >"$work/version.txt"
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export NODE_PATH="$work/node_modules" SPML="$spml" FOLDER="$folder" PICTURES="$pictures"
node "$here/browser/journey.cjs"
node "$here/browser/from_import.cjs"
