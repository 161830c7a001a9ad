#!/usr/bin/env bash
# Draws the pictures in docs/images again: the demo's page, the review, and figure 1 where its folder
# is given.
#   scripts/screenshots.sh [OUT]     OUT: of `spml reproduce figure1 --data voc12=DIR`, alone in it
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
    "file://$(realpath "$1")" 2>/dev/null
}

mkdir -p docs/images
"$spml" demo --out build/demo --quiet >/dev/null
shot build/demo/report.html demo.png 950
if [[ $# == 1 ]]; then
  "$spml" report "$1" --out "$profile/page.html" >/dev/null
  shot "$profile/page.html" figure1.png 640
fi
tests/review/browser.sh "$spml" build/playwright docs/images journey from_import
