#!/bin/bash
# Every ```cpp, ```c, ```fortran and ```cmake block of docs/cpp.md and docs/c.md is a whole program or project: compiled against the
# installed tree and run. A ```text block right after a program is its output, compared word for word.
here=$(dirname "$(readlink -f "$0")")
. "$here/support.sh"
install_tree
cd "$work"
quietly "$prefix/bin/cornet" demo --output demo
cp demo/brick-wall-4x3.hdf5 tower.hdf5
for guide in cpp c; do
  mkdir "$guide"
  # N.LANGUAGE for each block, in order
  awk -v folder="$guide" '
    /^```/ { if (out) { close(out); out = "" } else { language = substr($0, 4); out = sprintf("%s/%02d.%s", folder, ++n, language) }; next }
    out { print >out }' "$source/docs/$guide.md"
  count=0
  for block in "$guide"/*; do
    language=${block##*.}
    case $language in
      cpp) cp "$block" block.cc; compile cpp program block.cc ;;
      c) cp "$block" block.c; compile c program block.c ;;
      fortran) cp "$block" block.f90; compile fortran program "$source/examples/fortran/cornet_f.f90" block.f90 ;;
      cmake)
        rm -rf project
        mkdir project
        cp "$block" project/CMakeLists.txt
        cp "$source/examples/cpp/local_problem.cc" project/main.cc
        cp "$source/examples/c/local_problem.c" project/main.c
        quietly cmake -S project -B project/build -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_C_FLAGS="$flags"
        quietly cmake --build project/build
        continue
        ;;
      text)
        diff -u "$block" out.txt || die "docs/$guide.md: the program before block $block prints something else"
        continue
        ;;
      *) continue ;;
    esac
    ./program >out.txt 2>err.txt || { cat "$block" out.txt err.txt; die "docs/$guide.md: block $block"; }
    count=$((count + 1))
  done
  [ $count -ge 3 ] || die "docs/$guide.md has only $count programs"
  echo "docs/$guide.md: $count programs compiled and run"
done
