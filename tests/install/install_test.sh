#!/bin/bash
# Installs the build $CORNET_BUILD into an empty folder and uses it as a stranger would: the program, the CMake package with the shared
# and the static library, pkg-config, each header alone.
here=$(dirname "$(readlink -f "$0")")
. "$here/support.sh"
install_tree

echo "the installed program: $("$prefix/bin/cornet" --version | head -n 1)"
for file in man/man1/cornet.1 man/man1/cornet-solve.1 bash-completion/completions/cornet zsh/site-functions/_cornet; do
  [ -s "$prefix/share/$file" ] || die "share/$file is not installed"
done

places=$(grep -rlF -e "$build" -e "$(cached CMAKE_HOME_DIRECTORY)" "$libdir/cmake" "$libdir/pkgconfig" || true)
[ -z "$places" ] || die "paths of this machine in $places"

for library in libcornet.so.0.1 libcornet.so; do [ -L "$libdir/$library" ] || die "$library is not a link"; done
soname=$(objdump -p "$libdir/libcornet.so" | sed -n 's/^ *SONAME *//p')
[ "$soname" = libcornet.so.0.1 ] || die "the soname is $soname"

cd "$work"
for library in cornet static; do
  quietly cmake -S "$here/consumer" -B "$work/$library" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_FLAGS="$flags" \
    -DLIBRARY="$library"
  quietly cmake --build "$work/$library"
  echo "a program that uses cornet::$library: $("$work/$library/consumer")"
done
objdump -p "$work/cornet/consumer" | grep -q 'NEEDED *libcornet.so.0.1' || die "cornet::cornet is not the shared library"
objdump -p "$work/static/consumer" | grep -q libcornet && die "cornet::static is not the static library"
# A stranger who uses the shared library has none of our dependencies.
needed=$(sed -n '/^find_dependency\|^ *find_library/p' "$libdir/cmake/cornet/cornetTargets.cmake")
[ -z "$needed" ] || die "the shared library asks for $needed"

compile cpp by_pkg_config "$here/consumer/main.cc"
./by_pkg_config >/dev/null
# shellcheck disable=SC2046,SC2086
quietly "${CXX:-c++}" -std=c++20 $flags -o by_static_pkg_config "$here/consumer/main.cc" $(pkg-config --cflags cornet) \
  "$libdir/libcornet.a" $(pkg-config --static --libs-only-other --libs-only-l --libs-only-L cornet | sed 's/-lcornet//')
./by_static_pkg_config >/dev/null
echo "pkg-config: shared and static"

count=0
for header in "$prefix"/include/cornet/*.h; do
  # Twice: alone, and harmless when included again.
  printf '#include <cornet/%s>\n' "$(basename "$header")"{,} >"$work/header.cc"
  quietly "${CXX:-c++}" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I "$prefix/include" \
    "$work/header.cc"
  count=$((count + 1))
done
[ $count -gt 0 ] || die "no public header was installed"
for standard in c99 c11 c17; do
  printf '#include <cornet/cornet_c.h>\n'{,} >"$work/header.c"
  quietly "${CC:-cc}" -std=$standard -fsyntax-only -Wall -Wextra -pedantic -Wconversion -Werror -I "$prefix/include" "$work/header.c"
done
echo "each of the $count public headers compiles alone, cornet_c.h as C99, C11 and C17 too"
