#!/usr/bin/env bash
# clang-tidy (.clang-tidy) over src/, or over what matches one of the regular expressions given.
#   scripts/lint.sh [REGEX...]          in groups of ten sources, some minutes
#   scripts/lint.sh --deep [REGEX...]   source by source and with clang's static analyzer
#   scripts/lint.sh --changed REV       likewise, what differs from REV: a source, or its header
# A group parses the headers once, but the analyzer looks at functions of the file named to clang-tidy
# alone, which for a group only includes sources: what it finds (paths to null, to freed memory) needs --deep.
# How sources are compiled is read from build-lint, which is configured here and not built.
set -euo pipefail
cd "$(dirname "$0")/.."

# configure OPTION...: one instruction set is enough, as all are compiled from the same lines.
configure() {
  cmake --preset release -B build-lint -DSPML_WEB=OFF -DSPML_DISPATCH=OFF "$@" >/dev/null
  cmake --build build-lint --target spml_build_header >/dev/null
}

# tidy OPTION... REGEX...: clang does not know some of GCC's warning flags; they are not checked here.
tidy() {
  run-clang-tidy -quiet -p build-lint -j "$(nproc)" -extra-arg=-Wno-unknown-warning-option "$@"
}

case ${1-} in
  --deep)
    shift
    if [[ $# == 0 ]]; then set -- "$PWD/src/"; fi
    ;;
  --changed)
    mapfile -t changed < <(git diff --name-only --diff-filter=d "${2:?expected a revision}" -- src |
      sed -n 's/\.\(cc\|h\)$/.cc/p' | sort -u)
    sources=()
    for source in "${changed[@]}"; do
      if [[ -f $source ]]; then sources+=("$PWD/$source\$"); fi
    done
    echo "lint: ${#sources[@]} sources differ from $2"
    if [[ ${#sources[@]} == 0 ]]; then exit 0; fi
    set -- "${sources[@]}"
    ;;
  *)
    configure -DSPML_UNITY=ON -DSPML_TESTS=OFF
    # A group is a file that includes sources, which elsewhere would be a mistake.
    tidy -checks='-clang-analyzer-*,-bugprone-suspicious-include' "$@"
    exit
    ;;
esac
configure -DSPML_UNITY=OFF -DSPML_TESTS=ON
tidy "$@"
