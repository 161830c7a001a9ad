#!/usr/bin/env bash
# Installs the packages of scripts/packages.txt that are missing.
#   scripts/install.sh build         what building and running the program needs
#   scripts/install.sh build test    and what the tests need
# SPML_SKIP_INSTALL=1 leaves the system alone and trusts that everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { echo "install: $*" >&2; }
if [[ ${SPML_SKIP_INSTALL:-0} == 1 ]]; then exit 0; fi
if [[ $# == 0 ]]; then
  say "expected groups of scripts/packages.txt: build, test, mpi, check, torch"
  exit 2
fi

packages=()
for group in "$@"; do
  mapfile -t names < <(awk -v section="[$group]" \
    '/^\[/ {on = ($0 == section)} on && /^[a-z0-9]/ {print}' scripts/packages.txt)
  if [[ ${#names[@]} == 0 ]]; then
    say "no group '$group' in scripts/packages.txt"
    exit 2
  fi
  packages+=("${names[@]}")
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  say "expected a Debian-like system with apt-get, found none. Install the equivalents of these" \
    "packages, then run this again with SPML_SKIP_INSTALL=1: ${packages[*]}"
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  # A command of that name will do, wherever it came from: npm is part of some packages of nodejs.
  [[ $status == installed ]] || command -v "$package" >/dev/null || missing+=("$package")
done
if [[ ${#missing[@]} == 0 ]]; then exit 0; fi

as_root=()
if [[ $(id -u) != 0 ]]; then
  if ! command -v sudo >/dev/null; then
    say "need root or sudo for: apt-get install ${missing[*]}"
    exit 1
  fi
  as_root=(sudo)
fi
say "installing ${missing[*]}"
# "${a[@]+...}": an empty array counts as unset for old versions of bash.
"${as_root[@]+"${as_root[@]}"}" apt-get update -qq
"${as_root[@]+"${as_root[@]}"}" env DEBIAN_FRONTEND=noninteractive \
  apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends "${missing[@]}"
