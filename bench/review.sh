#!/usr/bin/env bash
# A review of 100,000 suggestions in the browser: time from a key to the next question, and the
# server's memory. With a review's folder, measures that one instead.
#   bench/review.sh SPML WORK [REVIEW]     WORK keeps playwright-core and the data
set -euo pipefail
spml=$(realpath "$1")
work=$2
mkdir -p "$work"
work=$(realpath "$work")
here=$(cd "$(dirname "$0")" && pwd)
review=${3:-$work/review}
package=playwright-core@1.65.0
if [[ ! -d $work/node_modules/playwright-core ]]; then
  npm install --loglevel=error --no-save --no-package-lock --ignore-scripts --no-audit --no-fund \
    --prefix "$work" "$package" >/dev/null
fi
if [[ $# -lt 3 && ! -d $work/run ]]; then
  "$spml" synth --out "$work/data" --rows 5500 --labels 20 --features 256 --seed 1 >/dev/null
  "$spml" train "$work/data" --loss an --epochs 3 --out "$work/run" --quiet >/dev/null
fi
NODE_PATH="$work/node_modules" SPML="$spml" WORK="$work" REVIEW="$review" node "$here/review.cjs"
