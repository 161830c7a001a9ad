#!/usr/bin/env bash
# Draws the pictures in docs/images again: the demo's page, and a reproduction's where one is given.
#   scripts/screenshots.sh [OUT]     OUT: the folder of `spml reproduce table1` and `figure1`
# Needs build/spml and chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
spml=build/spml

profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
# shot PAGE PICTURE HEIGHT: the top of the page, 900 pixels wide.
shot() {
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$profile" \
    --virtual-time-budget=20000 --window-size="900,$3" --screenshot="$PWD/docs/images/$2" \
    "file://$PWD/$1" 2>/dev/null
}

mkdir -p docs/images
"$spml" demo --out build/demo --quiet >/dev/null
shot build/demo/report.html demo.png 950
