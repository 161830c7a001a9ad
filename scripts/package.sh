#!/usr/bin/env bash
# Makes what is handed out, in dist/: Debian packages, the source archive, the Python wheel.
#   scripts/package.sh            all of it
#   scripts/package.sh --check    and lintian on the packages
# The same commit gives the same bytes: every time in the files is that of the commit, or
# SOURCE_DATE_EPOCH. SPML_PACKAGE_BUILD is another build folder than build-package, SPML_PACKAGE_OUT
# another folder than dist, SPML_PACKAGE_OPTIONS options for CMake.
set -euo pipefail
cd "$(dirname "$0")/.."

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
umask 022
build=${SPML_PACKAGE_BUILD:-build-package}
out=${SPML_PACKAGE_OUT:-dist}
version=$(sed -n 's/^project(spml VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
read -ra options <<<"${SPML_PACKAGE_OPTIONS:-}"
scripts/install.sh build torch mpi python package

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr \
  -DBUILD_SHARED_LIBS=ON -DSPML_DEBIAN=ON -DSPML_TORCH=ON -DSPML_PYTHON=ON -DSPML_TESTS=OFF \
  -DPython_EXECUTABLE="${PYTHON:-/usr/bin/python3}" "${options[@]+"${options[@]}"}" >/dev/null
cmake --build "$build" --parallel "$(nproc)"

mkdir -p "$out"
rm -f "$out"/*.deb "$out"/spml-*.tar.gz "$out"/spml-*.whl
(cd "$build" && rm -f ./*.deb && cpack >/dev/null)
mv "$build"/*.deb "$out"
git archive --format=tar --prefix="spml-$version/" HEAD | gzip -9n >"$out/spml-$version.tar.gz"
SPML_WHEEL_BUILD=$build SPML_WHEEL_OUT=$out scripts/wheel.sh >/dev/null

if [[ ${1:-} == --check ]]; then lintian --fail-on error "$out"/*.deb; fi
(cd "$out" && sha256sum ./*.deb ./*.tar.gz ./*.whl)
