#!/usr/bin/env bash
# What scripts/test.sh leaves out because it takes longer. All of it, or the parts named:
#   scripts/check.sh [format] [libtorch] [sanitizers] [threads] [library] [readers] [commands]
#                    [crash] [python] [fuzz] [lint]
# format      of the sources
# libtorch    the tests against LibTorch
# sanitizers  all tests under AddressSanitizer and UBSan
# threads     the tests of folders that run threads, under ThreadSanitizer
# library     the library built without the program, installed, and used by a program of its own
# readers     fuzzes the readers of src/formats and src/data, FUZZ_SECONDS (10) each
# commands    fuzzes the whole program on damaged folders, COMMAND_SECONDS (60) in all, and as long
#             again under AddressSanitizer and UBSan where `sanitizers` has built that
# crash       commands ended at, or with a disk that fails from, CRASH_POINTS (42) of their writes, for
#             each command and fault: a thousand in all
# python      the Python package, and its wheel in a virtual environment of its own
# fuzz        fuzzes every reader, FUZZ_SECONDS each; clang takes five minutes to build them
# lint        clang-tidy, of everything or of what differs from the revision LINT_SINCE
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/steps.sh
fuzz_seconds=${FUZZ_SECONDS:-10}
known=(format libtorch sanitizers threads library readers commands crash python fuzz lint)
parts=("$@")
if [[ $# == 0 ]]; then parts=("${known[@]}"); fi

# fuzz NAME: runs fuzz_NAME from the seeds in fuzz/corpus/NAME; what it finds stays in build-fuzz. The
# timeout of an input is by the clock, long enough that a busy machine is no finding; FUZZ_TIMEOUT=10 on
# a quiet one.
fuzz() {
  mkdir -p "build-fuzz/corpus/$1"
  ASAN_OPTIONS=quarantine_size_mb=16 \
    "build-fuzz/fuzz_$1" -max_total_time="$fuzz_seconds" -rss_limit_mb=768 -max_len=65536 \
    -timeout="${FUZZ_TIMEOUT:-60}" -verbosity=0 -print_funcs=0 -print_final_stats=1 \
    -artifact_prefix="build-fuzz/$1-" "build-fuzz/corpus/$1" "fuzz/corpus/$1"
}

# fuzz_each FILE...: the targets listed in the files, as many at a time as there are processors.
fuzz_each() {
  export -f fuzz
  export fuzz_seconds
  xargs --arg-file=<(cat "$@") -P "$jobs" -I{} bash -c 'fuzz {}'
}

check_format() { step "format of the sources" scripts/format.sh --check; }

check_libtorch() {
  step "build with LibTorch" configure_and_build release -DSPML_WERROR=ON -DSPML_TESTS=ON \
    -DSPML_TORCH=ON
  step "tests against LibTorch" ctest --preset release --parallel "$jobs" \
    --label-regex "^(libtorch|oracle)\$"
}

check_sanitizers() {
  step "sanitizer build" configure_and_build dev
  step "tests under AddressSanitizer and UBSan" ctest --preset dev --parallel "$jobs"
}

check_threads() {
  step "thread sanitizer build" configure_and_build tsan
  step "tests under ThreadSanitizer" ctest --preset tsan --parallel "$jobs"
}

check_library() {
  step "build of the library alone" configure_and_build library
  step "a program on the installed library" ctest --preset library
}

build_readers() {
  configure fuzz
  cmake --build build-fuzz --target fuzz_layer_data --parallel "$jobs"
}

check_readers() {
  step "fuzz build of the readers" build_readers
  step "fuzz each for $fuzz_seconds s" fuzz_each build-fuzz/fuzz_layer_data.txt
}

build_commands() {
  configure release -DSPML_WERROR=ON -DSPML_TESTS=ON
  cmake --build build --target spml_program fuzz_commands --parallel "$jobs"
}

check_commands() {
  step "build of the program" build_commands
  step "fuzz whole commands" fuzz/commands.sh "${COMMAND_SECONDS:-60}"
  if [[ -f build-dev/build.ninja ]]; then
    step "fuzz whole commands under AddressSanitizer and UBSan" \
      env BUILD=build-dev fuzz/commands.sh "${COMMAND_SECONDS:-60}"
  fi
}

build_crash() {
  configure release -DSPML_WERROR=ON -DSPML_TESTS=ON
  cmake --build build --target crash_test --parallel "$jobs"
}

check_crash() {
  step "build of the crash test" build_crash
  step "commands ended anywhere" env SPML_CRASH_POINTS="${CRASH_POINTS:-42}" \
    build/crash_test
}

build_python() {
  cmake --preset release -DSPML_WERROR=ON -DSPML_TESTS=ON -DSPML_PYTHON=ON \
    -DPython_EXECUTABLE=/usr/bin/python3 >/dev/null
  cmake --build --preset release --parallel "$jobs" --target spml_python
}

check_python() {
  step "install what Python needs" scripts/install.sh python
  step "the Python module" build_python
  step "tests of the Python package" ctest --preset release --label-regex '^python$'
  step "the wheel, in a new environment" env SPML_WHEEL_BUILD=build scripts/wheel.sh --test
}

check_fuzz() {
  step "fuzz build" configure_and_build fuzz
  step "fuzz each for $fuzz_seconds s" fuzz_each build-fuzz/fuzz_layer_*.txt
}

check_lint() { step "clang-tidy" scripts/lint.sh ${LINT_SINCE:+--changed "$LINT_SINCE"}; }

step "install packages" scripts/install.sh build test torch check
for part in "${parts[@]}"; do
  if [[ " ${known[*]} " != *" $part "* ]]; then
    echo "check: expected parts of ${known[*]}, found '$part'" >&2
    exit 2
  fi
  "check_$part"
done
