#!/usr/bin/env bash
# Makes a page from a small sweep and looks at it with headless Chromium: charts are drawn, not
# merely present, and the console stays empty.
#   browser.sh SPML
set -euo pipefail
spml=$1
if ! command -v chromium >/dev/null; then
  echo "skipped: chromium is not installed (scripts/install.sh test)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$spml" synth --out "$folder/data" --rows 200 --labels 5 --features 8 >/dev/null
"$spml" sweep "$folder/data" --loss bce,an,role --lr 0.01,0.001 --batch 16 --epochs 3 \
  --out "$folder/sweep" --quiet >/dev/null
"$spml" report "$folder/sweep" --out "$folder/page.html" >/dev/null
chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
  --disable-component-update --disable-sync --user-data-dir="$folder/profile" \
  --enable-logging=stderr --virtual-time-budget=20000 --dump-dom "file://$folder/page.html" \
  >"$folder/dom.html" 2>"$folder/console.txt"

failed=0
# at_least COUNT PATTERN WHAT: occurrences in the page after its script ran.
at_least() {
  local found
  found=$(grep -o -E "$2" "$folder/dom.html" | wc -l)
  if ((found < $1)); then
    echo "expected at least $1 $3, found $found"
    failed=1
  fi
}
at_least 3 '<svg[^>]*class="marks"' "charts"
at_least 3 'aria-roledescription="point"' "points of the test chart"
at_least 6 'aria-roledescription="line mark"' "learning curves"
at_least 15 'aria-roledescription="rect mark"' "cells of the per-class chart"
at_least 1 'data-drawn="3"' "sign that the script finished"
at_least 1 'class="first"' "best value in bold"
if grep -E 'CONSOLE' "$folder/console.txt"; then
  echo "expected an empty console"
  failed=1
fi
exit $failed
