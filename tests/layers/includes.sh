#!/usr/bin/env bash
# includes.sh FOLDER LAYER...: fails with the lines that include a header of another layer than
# these. The public headers, spml/..., are free to all.
set -euo pipefail
folder=$1
shift
allowed=$(IFS='|' && echo "$*")

wrong=$(grep -rnE '^ *# *include *"' "$folder" --include='*.cc' --include='*.h' |
  grep -vE "include *\"($allowed|spml)/" | sed 's/:\([0-9]*\):/:\1: /' || true)
if [[ -n $wrong ]]; then
  echo "$folder may include $*; these lines point elsewhere (docs/design.md, Layers):"
  echo "$wrong"
  exit 1
fi
