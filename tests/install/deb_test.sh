#!/bin/bash
# cpack makes three Debian packages; they install into an empty tree and work there: the program, and a C program against the library.
here=$(dirname "$(readlink -f "$0")")
. "$here/support.sh"
command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null || { echo "no dpkg-dev: skipped"; exit 77; }
[ -z "$flags" ] || { echo "an instrumented build is not packaged: skipped"; exit 77; }

quietly cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/packages"
cd "$work"
packages=(packages/*.deb)
[ ${#packages[@]} = 3 ] || die "expected three packages, found ${packages[*]}"
for package in "${packages[@]}"; do
  echo "$(dpkg-deb -f "$package" Package Version Installed-Size | tr '\n' ' ') depends on: $(dpkg-deb -f "$package" Depends)"
  case $(dpkg-deb -f "$package" Package) in
    libcornet-dev) dpkg-deb -f "$package" Depends | grep -q 'libcornet0.1 (= ' || die "libcornet-dev does not depend on its library" ;;
    *) dpkg-deb -f "$package" Depends | grep -q libhdf5 || die "$package does not name its dependencies" ;;
  esac
  case $(dpkg-deb -f "$package" Depends) in *siconos* | *glpk* | *cholmod*) die "$package depends on more than it should" ;; esac
done

tree=$work/tree
if [ "$(id -u)" = 0 ]; then
  # A package data base of its own that knows the packages of this machine: the dependencies are checked for real.
  mkdir -p "$tree/var/lib/dpkg/info" "$tree/var/lib/dpkg/updates" "$tree/var/lib/dpkg/triggers"
  cp /var/lib/dpkg/status "$tree/var/lib/dpkg/status"
  # The tree has no shell: the scripts of the packages run outside it, and their ldconfig looks at the tree.
  mkdir -p "$work/bin" "$tree/etc"
  printf '#!/bin/sh\nexec /sbin/ldconfig -r "%s"\n' "$tree" >"$work/bin/ldconfig"
  chmod +x "$work/bin/ldconfig"
  PATH=$work/bin:$PATH quietly dpkg --root="$tree" --log="$work/dpkg.log" --force-script-chrootless --install "${packages[@]}"
  /sbin/ldconfig -r "$tree" -p | grep -q libcornet.so.0.1 || die "the library is not known to the loader of the tree"
  state=$(dpkg-query --admindir="$tree/var/lib/dpkg" -W -f '${Status}' libcornet-dev 2>/dev/null)
  [ "$state" = "install ok installed" ] || die "libcornet-dev: $state"
else
  for package in "${packages[@]}"; do dpkg-deb -x "$package" "$tree"; done
fi

export LD_LIBRARY_PATH=$tree/usr/lib:$tree/usr/lib/$(cc -print-multiarch)
quietly "$tree/usr/bin/cornet" demo --output demo
quietly "$tree/usr/bin/cornet" verify demo/box-stack-8.hdf5
export PKG_CONFIG_PATH=$tree/usr/lib/pkgconfig:$tree/usr/lib/$(cc -print-multiarch)/pkgconfig
libdir=$(pkg-config --variable=libdir cornet)
compile c solve_file "$source/examples/c/solve_file.c"
./solve_file demo/box-stack-8.hdf5 out.hdf5
[ -s "$tree/usr/share/man/man1/cornet.1" ] || die "no manual page"
echo "installed into an empty tree and run there"
