#!/usr/bin/env bash
# Builds the Python package as one wheel in dist/: a linux_x86_64 wheel for one interpreter, with the
# libraries it needs inside; it needs NumPy and nothing else.
#   scripts/wheel.sh          builds it
#   scripts/wheel.sh --test   and uses it from a new virtual environment in another folder
# PYTHON chooses the interpreter, which must import numpy; SPML_WHEEL_BUILD a folder that is
# configured with SPML_PYTHON already, else build-wheel; SPML_WHEEL_OUT another folder than dist.
set -euo pipefail
cd "$(dirname "$0")/.."

find_python() {
  local candidate
  for candidate in ${PYTHON:-} python3 /usr/bin/python3; do
    if "$candidate" -c 'import numpy' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  echo "wheel: expected a python3 that imports numpy; install python3-numpy or set PYTHON" >&2
  return 1
}

# The same sources give the same bytes: the times in the archive are those of the last commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH

if [[ ${SPML_SKIP_INSTALL:-0} != 1 ]]; then scripts/install.sh build python; fi
python=$(find_python)
build=${SPML_WHEEL_BUILD:-build-wheel}
out=${SPML_WHEEL_OUT:-dist}
if [[ -z ${SPML_WHEEL_BUILD:-} ]]; then
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSPML_PYTHON=ON -DSPML_PROGRAM=OFF \
    -DSPML_REVIEW=OFF -DSPML_VISION=OFF -DSPML_WEB=OFF -DSPML_TESTS=OFF -DPython_EXECUTABLE="$python" >/dev/null
fi
cmake --build "$build" --target spml_python --parallel "$(nproc)"

stage=$build/stage
rm -rf "$stage"
mkdir -p "$stage/src/spml/lib" "$out"
cp python/pyproject.toml python/setup.py python/README.md LICENSE "$stage"
cp python/src/spml/*.py python/src/spml/*.pyi python/src/spml/py.typed "$stage/src/spml"
cp "$build"/python/spml/_spml*.so "$stage/src/spml"
sed -n 's/^project(spml VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt >"$stage/version.txt"
ldd "$stage"/src/spml/_spml*.so | awk '$3 ~ /^\// && $1 !~ /^lib(c|m|stdc\+\+|gcc_s)\.so/ {print $3}' |
  xargs -I{} cp -L {} "$stage/src/spml/lib/"
strip --strip-unneeded "$stage"/src/spml/_spml*.so
find "$stage" -exec touch --date="@$SOURCE_DATE_EPOCH" {} +
umask 022
find "$stage" -type f -exec chmod 644 {} +
out=$(realpath "$out")
(cd "$stage" && "$python" -m build --wheel --no-isolation --outdir "$out" >/dev/null)
ls "$out"/spml-*.whl

if [[ ${1:-} == --test ]]; then "$python" python/tests/try_wheel.py "$out"; fi
