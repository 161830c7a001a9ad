# Sourced by scripts that take files out of npm packages: the array `packages` names them with their
# versions.

# enter_packages FOLDER: goes there and leaves node_modules in it; ends the script when an earlier one
# has left the files in these versions.
enter_packages() {
  local script
  script=$(basename "$0" .sh)
  if [[ $# != 1 ]]; then
    echo "$script: expected a folder" >&2
    exit 2
  fi
  mkdir -p "$1"
  cd "$1"
  if [[ -f versions.txt && $(<versions.txt) == "${packages[*]}" ]]; then exit 0; fi
  if ! command -v npm >/dev/null; then
    echo "$script: expected npm, found none; install the package npm" >&2
    exit 1
  fi
  rm -rf node_modules
  npm install --loglevel=error --no-save --no-package-lock --ignore-scripts --no-audit --no-fund \
    --prefix . "${packages[@]}" >/dev/null
}

# To be called when the files are there.
leave_packages() {
  rm -rf node_modules
  echo "${packages[*]}" >versions.txt
}
