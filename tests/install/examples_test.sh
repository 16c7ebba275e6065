#!/bin/bash
# Every program in examples/cpp, examples/c and examples/fortran: short, compiled against the installed tree without a warning, run.
here=$(dirname "$(readlink -f "$0")")
. "$here/support.sh"
install_tree
cd "$work"
quietly "$prefix/bin/cornet" demo --output demo
count=0
for file in "$source"/examples/{cpp/*.cc,c/*.c,fortran/*.f90}; do
  name=$(basename "$file")
  [ "$name" != cornet_f.f90 ] || continue  # the module that the others use
  [ "$(wc -l <"$file")" -lt 80 ] || die "$file has 80 lines or more"
  case $file in
    *.cc) compile cpp program "$file" ;;
    *.c) compile c program "$file" ;;
    *.f90)
      command -v gfortran >/dev/null || { echo "no gfortran: $name is left out"; continue; }
      compile fortran program "$source/examples/fortran/cornet_f.f90" "$file"
      ;;
  esac
  arguments=()
  case $name in solve_file.*) arguments=(demo/brick-wall-4x3.hdf5 out.hdf5) ;; esac
  ./program "${arguments[@]}" >out.txt 2>err.txt || { cat out.txt err.txt; die "$file"; }
  [ -s out.txt ] || die "$file says nothing"
  echo "== $(basename "$(dirname "$file")")/$name: $(tail -n 1 out.txt)"
  case $name in
    solve_file.*)
      "$prefix/bin/cornet" verify out.hdf5 --quiet || die "$name: what it wrote does not verify"
      ./program no-such-file.hdf5 out2.hdf5 2>err.txt && die "$name: a missing file is no error"
      grep -q no-such-file.hdf5 err.txt || die "$name: the message does not name the file"
      ;;
  esac
  count=$((count + 1))
done
[ $count -ge 7 ] || die "only $count examples"
