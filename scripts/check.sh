#!/usr/bin/env bash
# What scripts/test.sh leaves out because it takes longer: the format of the sources, the tests
# against LibTorch, the tests under AddressSanitizer and UBSan, those that run threads under
# ThreadSanitizer, and every reader of files fuzzed for FUZZ_SECONDS (10) each. clang-tidy is run by
# hand (scripts/lint.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/steps.sh
fuzz_seconds=${FUZZ_SECONDS:-10}

# fuzz NAME: runs fuzz_NAME from the seeds in fuzz/corpus/NAME; what it finds stays in build-fuzz.
fuzz() {
  mkdir -p "build-fuzz/corpus/$1"
  ASAN_OPTIONS=quarantine_size_mb=16 \
    "build-fuzz/fuzz_$1" -max_total_time="$fuzz_seconds" -rss_limit_mb=768 -max_len=65536 -timeout=10 \
    -verbosity=0 -print_funcs=0 -print_final_stats=1 -artifact_prefix="build-fuzz/$1-" \
    "build-fuzz/corpus/$1" "fuzz/corpus/$1"
}

step "install packages" scripts/install.sh build test torch check
step "format of the sources" scripts/format.sh --check
step "build with LibTorch" configure_and_build release -DSPML_WERROR=ON -DSPML_TESTS=ON \
  -DSPML_TORCH=ON -DSPML_BENCH=ON
step "tests against LibTorch" ctest --preset release --parallel "$jobs" --label-regex "^(libtorch|oracle)\$"
step "sanitizer build" configure_and_build dev
step "tests under AddressSanitizer and UBSan" ctest --preset dev --parallel "$jobs"
step "thread sanitizer build" configure_and_build tsan
step "tests under ThreadSanitizer" ctest --preset tsan --parallel "$jobs"

step "fuzz build" configure_and_build fuzz
for corpus in fuzz/corpus/*; do
  format=${corpus#fuzz/corpus/}
  step "fuzz $format for $fuzz_seconds s" fuzz "$format"
done
step "fuzz the program on damaged folders" fuzz/commands.sh "${COMMAND_SECONDS:-120}"
