#!/usr/bin/env bash
# What a review is worth: somebody who knows the truth of DATA answers the best suggestions through the
# server, retrains after each round, exports a data folder and trains on it.
#   bench/review_truth.sh SPML DATA WORK [ANSWERS] [ROUND]     further flags of train: TRAIN="--loss ..."
set -euo pipefail
spml=$(realpath "$1")
data=$(realpath "$2")
mkdir -p "$3"
work=$(realpath "$3")
answers=${4:-2000}
round=${5:-500}
read -ra flags <<<"${TRAIN:---loss role+em --lr 4e-3 --batch 64 --transform sqrt --weight-decay 1e-4}"
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work/run" "$work/review" "$work/labelled" "$work/better"
"$spml" train "$data" "${flags[@]}" --out "$work/run" --quiet --json >"$work/run.json"
SPML="$spml" DATA="$data" WORK="$work" ANSWERS="$answers" ROUND="$round" node "$here/review_truth.cjs"
"$spml" review "$work/review" --export "$work/labelled" --format data
"$spml" train "$work/labelled" "${flags[@]}" --out "$work/better" --quiet --json >"$work/better.json"
node -e '
  const map = (name) => JSON.parse(require("fs").readFileSync(`${process.argv[1]}/${name}.json`)).test_map.toFixed(2);
  console.log(`test MAP before ${map("run")}, trained on the exported folder ${map("better")}`);
' "$work"
