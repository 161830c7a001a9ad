#!/usr/bin/env bash
# Makes pages and looks at them with headless Chromium: charts are drawn, not merely present, the
# console stays empty, and text from data stays text.
#   browser.sh SPML
set -euo pipefail
spml=$1
if ! command -v chromium >/dev/null; then
  echo "skipped: chromium is not installed (scripts/install.sh test)"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

# open_page PAGE [FLAG...]: the document after its script ran to $folder/dom.html, scripts left out.
open_page() {
  local page=$1
  shift
  chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --user-data-dir="$folder/profile" \
    --enable-logging=stderr --virtual-time-budget=20000 "$@" --dump-dom "file://$page" \
    2>"$folder/console.txt" | sed '/<script/,/<\/script>/d' >"$folder/dom.html"
  if grep -E 'CONSOLE' "$folder/console.txt"; then
    echo "$page: expected an empty console"
    failed=1
  fi
}

# at_least COUNT PATTERN WHAT: occurrences in the document.
at_least() {
  local found
  found=$({ grep -o -E "$2" "$folder/dom.html" || true; } | wc -l)
  if ((found < $1)); then
    echo "expected at least $1 $3, found $found"
    failed=1
  fi
}

# A sweep over data whose class names try to be markup and code.
"$spml" synth --out "$folder/data" --rows 200 --labels 5 --features 8 >/dev/null
sed -i -e 's|"class_0"|"</script><script>document.title=1</script>"|' \
  -e "s|\"class_1\"|\"'\\\\\"+alert(1)+\\\\\"'\"|" \
  -e 's|"class_2"|"<img src=x onerror=alert(1)>"|' "$folder/data/dataset.json"
"$spml" sweep "$folder/data" --loss bce,an,role --lr 0.01,0.001 --batch 16 --epochs 3 \
  --out "$folder/sweep" --quiet >/dev/null
"$spml" report "$folder/sweep" --out "$folder/page.html" >/dev/null
open_page "$folder/page.html"
# The curves, the classes, the test chart and the reliability diagram.
at_least 3 '<svg[^>]*class="marks"' "charts"
at_least 3 'aria-roledescription="point"' "points of the test chart"
at_least 6 'aria-roledescription="line mark"' "learning curves"
at_least 15 'aria-roledescription="rect mark"' "cells of the per-class chart"
at_least 1 'data-drawn="4"' "sign that the script finished"
at_least 1 'data-theme="light"' "light theme"
at_least 1 'class="first"' "best value in bold"
at_least 1 '<title>spml report</title>' "title as it was"
at_least 1 '&lt;img src=x onerror=alert\(1\)&gt;' "class name shown as text"
if grep -qF '<img' "$folder/dom.html"; then
  echo "expected no element made of a class name"
  failed=1
fi
open_page "$folder/page.html" --blink-settings=preferredColorScheme=0
at_least 1 'data-theme="dark"' "dark theme where the system is dark"

# A reproduction with a table, curves and heat maps.
reproduce() {
  echo "{\"settings\": {\"epochs\": 2$2}, \"lr\": [0.01], \"batch\": [8], \"rows\": [
    {\"loss\": \"an\", \"paper\": {\"toy\": 40, \"coco\": 62.3}}, {\"loss\": \"role\"}]$3}" >"$folder/$1.json"
  "$spml" reproduce "$folder/$1.json" --data "toy=$folder/data" --out "$folder/out" --quiet >/dev/null
}
reproduce numbers '' ', "datasets": ["toy", "coco"]'
reproduce lines '' ', "show": "curves", "vary": {"k": {"labelled_rows": 5, "values": 4}}'
reproduce maps ', "record": "unobserved-positives"' ', "show": "heatmaps"'
open_page "$folder/out/report.html"
# Beside the paper, per class and curves of the first; the figure and curves of the others.
at_least 1 'data-drawn="10"' "charts of a reproduction"
at_least 11 'aria-roledescription="point"' "points of the comparison and of the lines"
at_least 2 'aria-roledescription="rule mark"' "rules at the true k"
at_least 200 'aria-roledescription="rect mark"' "cells of the heat maps"
at_least 1 '<td class="first">' "best number of the table in bold"
at_least 1 '62\.3' "number of the paper for a data set that was not given"

# A search: what it chose, and by what, also where a blend is chosen that is not the best by score.
"$spml" train "$folder/data" --epochs 2 --trials 12 --out "$folder/search" --quiet >/dev/null
trials=$folder/search/search.jsonl
sed -i -e 's/,"chosen":true//' -e 's/"score":[^,}]*/"score":50/' -e 's/,"blend_ridge":true//' "$trials"
sed -i -e '$ s/"score":50/"score":49.9,"blend_ridge":true,"chosen":true/' "$trials"
sed -i -e 's/"average": [0-9]*/"average": 3/' -e 's/"blend_ridge": false/"blend_ridge": true/' \
  -e 's/"weight_decay": [0-9.e-]*/"weight_decay": 0.0001/' -e 's/"transform": "[a-z]*"/"transform": "sqrt"/' \
  "$folder/search/result.json"
"$spml" report "$folder/search" --out "$folder/search.html" >/dev/null
open_page "$folder/search.html"
at_least 1 'sqrt, weight decay 0.0001, mean of 3 seeds, blended with ridge' "description of what was chosen"
at_least 1 '<td class="first">ridge</td>' "blend of the chosen trial"
at_least 1 'score: validation MAP against full labels' "name of the score"
at_least 1 'more than 1 % better' "reason why the best score was not chosen"
sed -i 's/"selected_on": "clean"/"selected_on": "observed"/' "$folder/search/result.json"
"$spml" report "$folder/search" --out "$folder/search.html" >/dev/null
open_page "$folder/search.html"
at_least 1 'not MAP, which takes' "name of the score on observed labels"

# The demo, as a newcomer runs it.
"$spml" demo --out "$folder/demo" --quiet >"$folder/demo.txt"
for text in 'does best' "$folder/demo/report.html"; do
  if ! grep -q "$text" "$folder/demo.txt"; then
    echo "expected the demo to say '$text'"
    cat "$folder/demo.txt"
    failed=1
  fi
done
open_page "$folder/demo/report.html"
at_least 1 'data-drawn="4"' "charts of the demo"
at_least 72 'aria-roledescription="line mark"' "learning curves of the demo"
exit $failed
