#!/usr/bin/env bash
# Simulated reviews (spml suggest --simulate), mean over seeds: labels found and test MAP against
# answers, beside a random order and beside `an`.
#   bench/suggest.sh DATA_DIR [SEEDS [train flags...]]
# SEEDS: a list such as "0 1 2". Train flags default to role+em as tuned on VOC12.
# SPML: the program (default: build/spml).
set -euo pipefail
if [[ $# == 0 ]]; then
  echo "usage: bench/suggest.sh DATA_DIR [SEEDS [train flags...]]" >&2
  exit 2
fi
data=$(realpath "$1")
seeds=${2:-"0 1 2"}
shift $(($# > 2 ? 2 : $#))
flags=("$@")
if [[ ${#flags[@]} == 0 ]]; then
  flags=(--loss role+em --lr 4e-3 --batch 64 --transform sqrt --weight-decay 1e-4)
fi
cd "$(dirname "$0")/.."
spml=${SPML:-build/spml}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for seed in $seeds; do
  "$spml" train "$data" "${flags[@]}" --select observed --seed "$seed" --out "$work/run-$seed" --quiet >/dev/null
  "$spml" suggest "$work/run-$seed" "$data" --simulate --json --quiet >"$work/$seed.json"
done
python3 - "$work"/*.json <<'END'
import json, sys
runs = [json.load(open(name)) for name in sys.argv[1:]]
print("| answers | suggested: found | precision | test MAP | random: found | test MAP | an: found | test MAP |")
print("|---|---|---|---|---|---|---|---|")
def mean(curve, i, key):
    values = [run[curve][i][key] for run in runs]
    return None if None in values else sum(values) / len(values)
def show(value, scale, digits):
    return "" if value is None else f"{scale * value:.{digits}f}"
for i, first in enumerate(runs[0]["rounds"]):
    cells = [str(first["answers"])]
    for curve in ("rounds", "random", "an"):
        cells.append(show(mean(curve, i, "found"), 100, 1))
        if curve == "rounds":
            cells.append(show(mean(curve, i, "precision"), 100, 1))
        cells.append(show(mean(curve, i, "test_map"), 1, 2))
    print("| " + " | ".join(cells) + " |")
END
