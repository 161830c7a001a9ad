#!/usr/bin/env bash
# Everything that can be tested, from a fresh clone: installs what is missing, builds the program
# (build/spml) with warnings as errors, runs all tests, runs them again under AddressSanitizer and
# UBSan, and fuzzes every reader of files for FUZZ_SECONDS (10) each.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
fuzz_seconds=${FUZZ_SECONDS:-10}

summary=()
current=
summarize() {
  local code=$?
  echo
  echo "== Summary"
  # "${a[@]+...}": an empty array counts as unset for old versions of bash.
  printf '%s\n' "${summary[@]+"${summary[@]}"}"
  if [[ $code == 0 ]]; then
    echo "All passed in $SECONDS s. The program is build/spml."
  else
    echo "FAILED: $current"
  fi
}
trap summarize EXIT

# step NAME COMMAND...: runs the command; the script ends at the first one that fails.
step() {
  current=$1
  shift
  echo
  echo "== $current"
  local start=$SECONDS
  "$@"
  summary+=("passed  $(printf '%4d s' $((SECONDS - start)))  $current")
}

# build PRESET [CMAKE OPTION...]
build() {
  cmake --preset "$@" >/dev/null
  cmake --build --preset "$1" --parallel "$jobs"
}

# fuzz TARGET: from the seeds in fuzz/corpus/TARGET, keeping what it finds in build-fuzz/corpus.
fuzz() {
  local name seeds found
  name=$(basename "$1")
  seeds=fuzz/corpus/$name
  found=build-fuzz/corpus/$name
  mkdir -p "$found"
  local folders=("$found")
  if [[ -d $seeds ]]; then folders+=("$seeds"); fi
  "$1" -max_total_time="$fuzz_seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="build-fuzz/$name-" "${folders[@]}"
}

step "install packages" scripts/install.sh build test
step "release build, warnings are errors" build release -DSPML_VISION=ON -DSPML_WERROR=ON \
  -DSPML_TESTS=ON -DSPML_BENCH=ON
step "tests" ctest --preset release --parallel "$jobs"
step "sanitizer build" build dev
step "tests under AddressSanitizer and UBSan" ctest --preset dev --parallel "$jobs"
step "fuzz build" build fuzz
mapfile -t targets < <(find build-fuzz -maxdepth 1 -type f -executable -name '*fuzz*' | sort)
for target in "${targets[@]}"; do
  step "fuzz $(basename "$target") for $fuzz_seconds s" fuzz "$target"
done
