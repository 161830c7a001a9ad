#!/usr/bin/env bash
# Fetches what the page of `spml review` is written with: Preact, its hooks and htm, as modules that
# a browser loads without a compiler.
#   scripts/fetch-review-web.sh FOLDER      leaves preact.js, hooks.js, htm.js and licenses.txt
# Does nothing when they are there in these versions.
set -euo pipefail
packages=(preact@10.29.8 htm@3.1.1)
source "$(dirname "$0")/npm.sh"

enter_packages "$@"
# module FILE NAME: without the line that points to a map, which is not served; imports by file name.
module() {
  sed -e '/^\/\/# sourceMappingURL=/d' -e 's/from *"preact"/from"\.\/preact.js"/g' \
    "node_modules/$1" >"$2"
}
module preact/dist/preact.module.js preact.js
module preact/hooks/dist/hooks.module.js hooks.js
module htm/dist/htm.module.js htm.js
for name in preact htm; do
  printf '== %s\n\n' "$name"
  cat "node_modules/$name/LICENSE"
  printf '\n\n'
done >licenses.txt
leave_packages
