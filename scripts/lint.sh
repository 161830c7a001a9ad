#!/usr/bin/env bash
# clang-tidy (.clang-tidy) over the sources whose path matches one of the regular expressions given,
# or over all of src/.
#   scripts/lint.sh                     everything
#   scripts/lint.sh src/metrics         one folder
#   scripts/lint.sh --changed REV       what differs from REV: a source, or the header of its name
# It reads how sources are compiled from build-lint, which it configures and does not build: where
# sources are compiled in groups (SPML_UNITY), clang-tidy would not find them.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset release -B build-lint -DSPML_UNITY=OFF -DSPML_WEB=OFF >/dev/null
cmake --build build-lint --target spml_build_header >/dev/null
if [[ ${1-} == --changed ]]; then
  mapfile -t changed < <(git diff --name-only --diff-filter=d "${2:?expected a revision}" -- src |
    sed -n 's/\.\(cc\|h\)$/.cc/p' | sort -u)
  sources=()
  for source in "${changed[@]}"; do
    if [[ -f $source ]]; then sources+=("$PWD/$source\$"); fi
  done
  echo "lint: ${#sources[@]} sources differ from $2"
  if [[ ${#sources[@]} == 0 ]]; then exit 0; fi
  set -- "${sources[@]}"
elif [[ $# == 0 ]]; then
  set -- "$PWD/src/"
fi
# clang does not know some of GCC's warning flags; they are not what is checked here.
run-clang-tidy -quiet -p build-lint -j "$(nproc)" -extra-arg=-Wno-unknown-warning-option "$@"
