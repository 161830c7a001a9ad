#!/usr/bin/env bash
# Builds the Python package as one wheel in dist/: a linux_x86_64 wheel for this interpreter, with the
# libraries it needs inside; it needs NumPy and nothing else. PYTHON chooses the interpreter, which
# must import numpy.
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

scripts/install.sh build python
python=$(find_python)
build=build-wheel
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSPML_PYTHON=ON -DSPML_PROGRAM=OFF \
  -DSPML_VISION=OFF -DSPML_WEB=OFF -DSPML_TESTS=OFF -DPython_EXECUTABLE="$python" >/dev/null
cmake --build "$build" --target spml_python --parallel "$(nproc)"

stage=$build/stage
rm -rf "$stage"
mkdir -p "$stage/src" dist
cp python/pyproject.toml python/setup.py python/README.md LICENSE "$stage"
cp -rL "$build/python/spml" "$stage/src/spml"
rm -rf "$stage/src/spml/__pycache__"
sed -n 's/^project(spml VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt >"$stage/version.txt"
mkdir "$stage/src/spml/lib"
ldd "$stage"/src/spml/_spml*.so | awk '/lib(fmt|hwy|simdjson|tbb)\.so/ {print $3}' |
  xargs -I{} cp -L {} "$stage/src/spml/lib/"
strip --strip-unneeded "$stage"/src/spml/_spml*.so
(cd "$stage" && "$python" -m build --wheel --no-isolation --outdir "$OLDPWD/dist" >/dev/null)
ls dist/spml-*.whl
