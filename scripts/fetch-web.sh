#!/usr/bin/env bash
# Fetches what the report's page is drawn with: the minified builds of Vega, Vega-Lite and
# Vega-Embed, and the licences of everything inside them.
#   scripts/fetch-web.sh FOLDER      leaves vega.js, vega-lite.js, vega-embed.js and licenses.txt
# Does nothing when they are there in these versions.
set -euo pipefail
packages=(vega@6.4.0 vega-lite@6.5.0 vega-embed@7.3.0)
source "$(dirname "$0")/npm.sh"

enter_packages "$@"
for package in "${packages[@]}"; do
  name=${package%@*}
  # The maps that these lines point to are not in the page.
  sed '/^\/\/# sourceMappingURL=/d' "node_modules/$name/build/$name.min.js" >"$name.js"
done

# One text per licence, with the packages that are under it.
declare -A holders=()
while read -r file; do
  name=${file#node_modules/}
  sum=$(tr -d '[:space:]' <"$file" | cksum)
  holders[$sum]+="${holders[$sum]:+, }${name%/*}|$file"$'\n'
done < <(find node_modules -mindepth 2 -maxdepth 3 -type f -iname 'licen[cs]e*' | LC_ALL=C sort)
for sum in "${!holders[@]}"; do
  names=$(sed -n 's/|.*//p' <<<"${holders[$sum]}" | tr -d '\n')
  text=$(sed -n '1s/.*|//p' <<<"${holders[$sum]}")
  printf '== %s\n\n' "$names"
  cat "$text"
  printf '\n\n'
done >licenses.txt
leave_packages
