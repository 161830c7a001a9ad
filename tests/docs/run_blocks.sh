#!/usr/bin/env bash
# run_blocks.sh FILE.md PROGRAM: runs the ```sh run blocks of a document, in order, as one shell
# session in an empty folder with PROGRAM's folder first in PATH. Fails at the first command that
# fails, and when the document has no such block.
set -euo pipefail
document=$1
program=$2

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk '/^```/ {on = ($0 == "```sh run"); next} on' "$document" >"$folder/.session"
if [[ ! -s $folder/.session ]]; then
  echo "$document: expected at least one block that opens with \`\`\`sh run" >&2
  exit 1
fi
cd "$folder"
PATH="$(dirname "$program"):$PATH" bash -euxo pipefail .session
