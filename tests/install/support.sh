# What the tests of the installed tree share (sourced). Sets build, source, work (removed at the end), prefix, flags.
set -euo pipefail
build=${CORNET_BUILD:?set CORNET_BUILD to a build folder}
source=${CORNET_SOURCE:?set CORNET_SOURCE to the sources}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/moved

cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
die() { echo "FAILED: $*"; exit 1; }
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; die "$*"; }; }

# A sanitized or instrumented library needs its runtime in whatever links it.
flags=
[ -z "$(cached CORNET_SANITIZE)" ] || flags="-fsanitize=$(cached CORNET_SANITIZE)"
case $(cached CORNET_COVERAGE) in ON | 1 | TRUE) flags="$flags --coverage" ;; esac

# Moved after the install: nothing may remember where it was put, or where it was built.
install_tree() {
  quietly cmake --install "$build" --prefix "$work/prefix"
  mv "$work/prefix" "$prefix"
  export PKG_CONFIG_PATH=$prefix/$(cached CMAKE_INSTALL_LIBDIR)/pkgconfig
  libdir=$(pkg-config --variable=libdir cornet) || die "pkg-config does not find cornet"
}

# compile LANGUAGE OUTPUT SOURCE...: a program that uses the installed shared library, as a user compiles it.
compile() {
  local language=$1 output=$2
  shift 2
  local -a how
  case $language in
    c) how=("${CC:-cc}" -std=c99 -Wall -Wextra -pedantic -Werror) ;;
    cpp) how=("${CXX:-c++}" -std=c++20 -Wall -Wpedantic -Werror) ;;
    fortran) how=(gfortran -std=f2018 -Wall -Werror -J "$work") ;;
    *) die "no compiler for $language" ;;
  esac
  # shellcheck disable=SC2046,SC2086
  quietly "${how[@]}" $flags -o "$output" "$@" $(pkg-config --cflags --libs cornet) -Wl,-rpath,"$libdir"
}
