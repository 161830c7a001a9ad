#!/usr/bin/env bash
# extract_blocks.sh FILE.md OPENING FOLDER NAME: writes the document's blocks that open with the line
# ```OPENING to FOLDER/NAME_1.cc, FOLDER/NAME_2.cc and so on, and prints the files' names, one a
# line. A file that is right already keeps its time. Fails when there is no such block.
set -euo pipefail
document=$1 opening=$2 folder=$3 name=$4

mkdir -p "$folder"
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
awk -v opening="\`\`\`$opening" -v prefix="$new/${name}_" '
  /^```/ {on = !on && ($0 == opening); if (on) file = prefix (++count) ".cc"; next}
  on {print > file}' "$document"
if [[ ! -f $new/${name}_1.cc ]]; then
  echo "$document: expected at least one block that opens with \`\`\`$opening" >&2
  exit 1
fi
for ((i = 1; ; ++i)); do
  file=${name}_$i.cc
  if [[ ! -f $new/$file ]]; then break; fi
  cmp --silent "$new/$file" "$folder/$file" || cp "$new/$file" "$folder/$file"
  echo "$folder/$file"
done
