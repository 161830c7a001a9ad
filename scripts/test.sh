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

# configure_and_build PRESET [CMAKE OPTION...]
configure_and_build() {
  cmake --preset "$@" >/dev/null
  cmake --build --preset "$1" --parallel "$jobs"
}

# build_fuzz_targets TARGET...: these only, not the program.
build_fuzz_targets() {
  cmake --preset fuzz >/dev/null
  cmake --build --preset fuzz --parallel "$jobs" --target "$@"
}

# fuzz NAME: runs fuzz_NAME from the seeds in fuzz/corpus/NAME; what it finds stays in build-fuzz.
fuzz() {
  mkdir -p "build-fuzz/corpus/$1"
  "build-fuzz/fuzz_$1" -max_total_time="$fuzz_seconds" -rss_limit_mb=2048 -timeout=10 \
    -verbosity=0 -print_funcs=0 -print_final_stats=1 -artifact_prefix="build-fuzz/$1-" \
    "build-fuzz/corpus/$1" "fuzz/corpus/$1"
}

step "install packages" scripts/install.sh build test
step "release build, warnings are errors" configure_and_build release -DSPML_VISION=ON -DSPML_WERROR=ON \
  -DSPML_TESTS=ON -DSPML_BENCH=ON
step "tests" ctest --preset release --parallel "$jobs"
step "sanitizer build" configure_and_build dev
step "tests under AddressSanitizer and UBSan" ctest --preset dev --parallel "$jobs"

formats=(fuzz/corpus/*)
formats=("${formats[@]#fuzz/corpus/}")
step "fuzz build" build_fuzz_targets "${formats[@]/#/fuzz_}"
for format in "${formats[@]}"; do
  step "fuzz $format for $fuzz_seconds s" fuzz "$format"
done
