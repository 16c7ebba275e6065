#!/bin/bash
# Static analysis of our sources: clang-tidy with the checks of .clang-tidy, cppcheck with the exceptions of tools/cppcheck_exceptions.txt.
# Both must find nothing. Installs what is missing; the compile commands are those of build/lint, which is configured and never built.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
. "$root/tools/setup.sh"

usage() {
  cat <<END
Usage: tools/lint.sh [--tidy | --cppcheck] [--jobs N] [FILES...]

  --tidy       clang-tidy only
  --cppcheck   cppcheck only
  --jobs N     files at the same time (all processors)
  FILES        .cc files (all of src, python/src and tests); headers are looked at through the files that include them
END
}

tools=() jobs=$(nproc) files=()
while (($#)); do
  case $1 in
    --tidy | --cppcheck) tools+=("$1") ;;
    --jobs) jobs=${2:?--jobs needs a number}; shift ;;
    -h | --help) usage; exit 0 ;;
    -*) usage >&2; exit 2 ;;
    *) files+=("$(realpath "$1")") ;;
  esac
  shift
done
require_packages build python test lint
mkdir -p "$root/build/lint"
: >"$root/build/lint/configure.log"
logged "configuring" "$root/build/lint/configure.log" cmake -S "$root" --preset lint -B "$root/build/lint"
cd "$root"
exec python3 tools/lint.py --jobs "$jobs" "${tools[@]}" "${files[@]}"
