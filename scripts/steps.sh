# Sourced by test.sh and check.sh: steps that are timed, and a summary at the end.
jobs=$(nproc)

summary=()
current=
summarize() {
  local code=$?
  echo
  echo "== Summary"
  # "${a[@]+...}": an empty array counts as unset for old versions of bash.
  printf '%s\n' "${summary[@]+"${summary[@]}"}"
  if [[ $code == 0 && -z $current ]]; then
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
  current=
}

# configure PRESET [CMAKE OPTION...]: what is built from nothing is compiled in groups; a folder that
# is there already stays as it was configured.
configure() {
  local folder=build-$1 unity=()
  if [[ $1 == release ]]; then folder=build; fi
  if [[ ! -f $folder/build.ninja ]]; then unity=(-DSPML_UNITY=ON); fi
  cmake --preset "$@" "${unity[@]+"${unity[@]}"}" >/dev/null
}

configure_and_build() {
  configure "$@"
  cmake --build --preset "$1" --parallel "$jobs"
}
