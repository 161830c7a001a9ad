#!/usr/bin/env bash
# Uses the packages of a folder as their users do, without installing them: unpacked into an empty
# root, the demo runs, a C++ program builds against the library, a man page is read and bash (zsh and
# fish, where they are installed) completes the name of a loss.
#   scripts/try-packages.sh [FOLDER]             dist, unless told otherwise
#   scripts/try-packages.sh [FOLDER] --install   as root: also installs and removes them
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD
folder=$(realpath "${1:-dist}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say() { echo "try-packages: $*"; }
root=$work/root
for package in "$folder"/*.deb; do dpkg-deb -x "$package" "$root"; done
libraries=$(find "$root/usr/lib" -maxdepth 2 -name 'libspml.so.*' -printf '%h\n' | head -n 1)
cd "$work"

"$root/usr/bin/spml" --version --verbose
"$root/usr/bin/spml" demo --quiet --out demo >demo.txt
grep -q role demo.txt && test -s demo/report.html
say "spml demo runs"

awk '/^```cpp run$/ {on = 1; next} /^```$/ {on = 0} on' "$repository/README.md" >program.cc
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(spml 0.2 REQUIRED)
add_executable(user program.cc)
target_link_libraries(user PRIVATE spml::spml)
CMAKE
cmake -S . -B user -DCMAKE_PREFIX_PATH="$root/usr" >/dev/null
cmake --build user >/dev/null
"$root/usr/bin/spml" synth --quiet --out toy >/dev/null
"$root/usr/bin/spml" observe toy --quiet --force >/dev/null
LD_LIBRARY_PATH=$libraries user/user toy/train_features_imagenet_resnet50.npy \
  toy/formatted_train_labels_obs.npy >/dev/null
readelf -d user/user | grep 'NEEDED.*libspml'
say "a program builds against the library and runs"

gzip -dc "$root/usr/share/man/man1/spml-train.1.gz" >spml-train.1
MANWIDTH=80 man -l spml-train.1 2>man-errors.txt | col -b >page.txt
grep -q -- --loss page.txt && ! test -s man-errors.txt
test "$(find "$root/usr/share/man/man1" -name 'spml-*.1.gz' | wc -l)" -gt 10
say "man spml-train has $(wc -l <page.txt) lines, without warnings"

# shellcheck disable=SC1091
completed=$(bash --norc -c '
  source /usr/share/bash-completion/bash_completion 2>/dev/null || true
  source "$1/usr/share/bash-completion/completions/spml"
  COMP_WORDS=(spml train data --loss rol) COMP_CWORD=4 COMP_LINE="spml train data --loss rol" COMP_POINT=26
  $(complete -p spml | sed "s/.*-F \([^ ]*\).*/\1/") spml rol --loss
  echo "${COMPREPLY[*]}"' bash "$root")
[[ " $completed " == *" role "* ]]
say "bash completes --loss rol to: $completed"

if command -v fish >/dev/null; then
  export file="$root/usr/share/fish/vendor_completions.d/spml.fish"
  # shellcheck disable=SC2016
  fish --no-config -c 'source $file; complete -C "spml train data --loss rol"' | grep -q '^role\b'
  say "fish completes it too"
fi
if command -v zsh >/dev/null; then
  zsh -f "$repository/packaging/complete.zsh" "$root/usr/share/zsh/vendor-completions" \
    "spml train data --loss rol" | grep -q 'role+an'
  say "and zsh"
fi

if [[ ${2:-} == --install ]]; then
  mapfile -t names < <(for p in "$folder"/*.deb; do dpkg-deb -f "$p" Package; done)
  apt-get install -y -qq --no-install-recommends "$folder"/*.deb >/dev/null
  command -v spml && spml --version
  say "installed: ${names[*]}"
  apt-get remove -y -qq --purge "${names[@]}" >/dev/null
  ! test -e /usr/bin/spml && ! ls /usr/lib/*/libspml* 2>/dev/null
  say "removed again, nothing is left"
fi
