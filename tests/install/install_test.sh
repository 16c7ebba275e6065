#!/bin/bash
# Installs the build $CORNET_BUILD into an empty folder and uses it as a stranger would: the program, the CMake package, each header alone.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
build=${CORNET_BUILD:?set CORNET_BUILD to a build folder}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; echo "FAILED: $*"; exit 1; }; }

quietly cmake --install "$build" --prefix "$prefix"
# Moved after the install: nothing may remember where it was put, or where it was built.
mv "$prefix" "$work/moved"
prefix=$work/moved

echo "the installed program: $("$prefix/bin/cornet" --version | head -n 1)"

places=$(grep -rlF -e "$build" -e "$(cached CMAKE_HOME_DIRECTORY)" "$prefix"/lib*/cmake "$prefix"/lib*/*/cmake 2>/dev/null || true)
[ -z "$places" ] || { echo "FAILED: paths of this machine in $places"; exit 1; }

# A sanitized or instrumented library needs its runtime in whatever links it.
flags=
[ -z "$(cached CORNET_SANITIZE)" ] || flags="-fsanitize=$(cached CORNET_SANITIZE)"
case $(cached CORNET_COVERAGE) in ON | 1 | TRUE) flags="$flags --coverage" ;; esac

quietly cmake -S "$here/consumer" -B "$work/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_FLAGS="$flags"
quietly cmake --build "$work/consumer"
cd "$work"
echo "a program that uses it: $("$work/consumer/consumer")"

count=0
for header in "$prefix"/include/cornet/*.h; do
  # Twice: alone, and harmless when included again.
  printf '#include <cornet/%s>\n' "$(basename "$header")"{,} >"$work/header.cc"
  quietly "${CXX:-c++}" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I "$prefix/include" "$work/header.cc"
  count=$((count + 1))
done
[ $count -gt 0 ] || { echo "FAILED: no public header was installed"; exit 1; }
echo "each of the $count public headers compiles alone"
