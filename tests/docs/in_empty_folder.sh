#!/usr/bin/env bash
# in_empty_folder.sh COMMAND...: runs the command in a new folder, which is removed afterwards.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$@"
