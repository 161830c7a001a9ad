#!/usr/bin/env bash
# The table of docs/benchmark.md: every loss on several data sets, several draws of the observed
# labels, the same search for each loss (learning rate and its main parameter), chosen once with clean
# and once with observed validation labels.
#   bench/losses.sh OUT_DIR DATA_DIR...    SPML names the program
# A rerun goes on where an earlier one was stopped. DRAWS, LRS, BATCH, EPOCHS, LOSSES, JOBS and THREADS
# change the settings; beside other work JOBS=1 THREADS=1 is fastest. Prints a Markdown table: mean test MAP over the draws for each data set (clean /
# observed), and the mean over data sets of a loss's rank among those trained with one positive a row.
set -euo pipefail
if [[ $# -lt 2 ]]; then
  echo "usage: bench/losses.sh OUT_DIR DATA_DIR..." >&2
  exit 2
fi
out=$1
shift
spml=${SPML:-$(dirname "$0")/../build/spml}
read -ra draws <<<"${DRAWS:-1 2 3}"

# loss, labels it is given, what is searched besides the learning rate
table="
bce            all
bce-ls         all         eps=0.1,0.2
iun            1+negatives
iu             1+1
an             1
an-ls          1           eps=0.1,0.3
wan            1           gamma=0.01,0.1
wan-sampled    1
epr            1           lambda=1,3
role           1           lambda=1,3
pr             1
focal          1           gamma=1,2
asl            1           gamma_neg=1,4
hill           1           lam=1.2,1.5
splc           1           tau=0.6,0.8
em             1           alpha=0.05,0.2
em-apl         1           alpha=0.05,0.2
gr             1           wT=2,10
ll-r           1           delta=0.2,1
ll-ct          1           delta=0.1,0.4
ll-cp          1           delta=0.05,0.2
self-training  1           tau=0.7,0.9
crisp          1           warm_up=0.2,0.5
nnpu           1           warm_up=0.2,0.5
role+an-ls     1           eps=0.1,0.3
role+em        1           alpha=0.05,0.2
role+gr        1           wT=2,10
ridge          1
logistic       1           C=0.001,0.01,0.1
squared-hinge  1           C=0.0001,0.001,0.01
"

# field FILE NAME: the first number of that name in a best.json
field() { sed -n "s/^ *\"$2\": \([0-9.e+-]*\),\?$/\1/p" "$1" | head -n 1; }

# search DATA LOSS PARAM FOLDER FLAG...: names the file with its result. What is solved for takes no steps
# and has no rates to search; ridge chooses its strength itself.
search() {
  local data=$1 loss=$2 param=$3 folder=$4
  shift 4
  if [[ $loss == ridge ]]; then
    "$spml" train "$data" --loss ridge --out "$folder" --resume "$@" >&2
    echo "$folder/result.json"
  elif [[ $loss == logistic || $loss == squared-hinge ]]; then
    "$spml" sweep "$data" --loss "$loss" --param "$param" ${JOBS:+--jobs "$JOBS"} --out "$folder" "$@" >&2
    echo "$folder/best.json"
  else
    "$spml" sweep "$data" --loss "$loss" ${param:+--param "$param"} --lr "${LRS:-1e-2,2e-3,4e-4}" \
      --batch "${BATCH:-64}" --epochs "${EPOCHS:-15}" ${JOBS:+--jobs "$JOBS"} --out "$folder" "$@" >&2
    echo "$folder/best.json"
  fi
}

mkdir -p "$out"
: >"$out/results.txt"
for data in "$@"; do
  set=$(basename "$data")
  while read -r loss labels param; do
    [[ -n $loss && " ${LOSSES:-$loss} " == *" $loss "* ]] || continue
    negatives=$([[ $labels == 1+1 ]] && echo 1 || echo 0)
    for select in clean observed; do
      for draw in "${draws[@]}"; do
        result=$(search "$data" "$loss" "$param" "$out/$set/$loss-$select-$draw" --select "$select" \
          --observe "pos=1,neg=$negatives,seed=$draw" ${THREADS:+--threads "$THREADS"} --quiet)
        echo "$set $loss $labels $select $draw $(field "$result" test_map)" >>"$out/results.txt"
      done
    done
    echo "$(date +%H:%M:%S) $set $loss" >&2
  done <<<"$table"
done

# Mean and deviation over draws; ranks among the losses with one positive a row.
awk '
  { key = $1 " " $2 " " $4; sum[key] += $6; squares[key] += $6 * $6; count[key]++; labels[$2] = $3 }
  !($1 in seen_set) { seen_set[$1]; sets[++S] = $1 }
  !($2 in seen_loss) { seen_loss[$2]; losses[++N] = $2 }
  function mean(key) { return sum[key] / count[key] }
  function deviation(key,   m, v) {
    m = mean(key); v = squares[key] / count[key] - m * m
    return count[key] > 1 && v > 0 ? sqrt(v * count[key] / (count[key] - 1)) : 0
  }
  function rank(set, loss, select,   i, above, mine) {
    mine = mean(set " " loss " " select); above = 1
    for (i = 1; i <= N; i++)
      if (labels[losses[i]] == "1" && losses[i] != loss && mean(set " " losses[i] " " select) > mine)
        above++
    return above
  }
  END {
    printf "| loss | labels |"
    for (s = 1; s <= S; s++) printf " %s, clean | %s, observed |", sets[s], sets[s]
    printf " mean rank, clean | mean rank, observed |\n|---|---|"
    for (s = 1; s <= S; s++) printf "---|---|"
    print "---|---|"
    for (i = 1; i <= N; i++) {
      loss = losses[i]; total["clean"] = total["observed"] = 0
      printf "| `%s` | %s |", loss, labels[loss]
      for (s = 1; s <= S; s++)
        for (c = 1; c <= 2; c++) {
          select = c == 1 ? "clean" : "observed"; key = sets[s] " " loss " " select
          printf " %.1f ± %.1f |", mean(key), deviation(key)
          total[select] += rank(sets[s], loss, select)
        }
      if (labels[loss] == "1") printf " %.1f | %.1f |\n", total["clean"] / S, total["observed"] / S
      else print " | |"
    }
  }' "$out/results.txt"
