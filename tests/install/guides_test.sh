#!/bin/bash
# Every ```cpp, ```c, ```fortran and ```cmake block of README.md and docs/*.md is a whole program or project: compiled against the installed
# tree and run. A ```text block right after a program is its output, compared word for word. The other blocks: tests/docs/blocks_test.py.
here=$(dirname "$(readlink -f "$0")")
. "$here/support.sh"
install_tree
cd "$work"
quietly "$prefix/bin/cornet" demo --output demo
cp demo/brick-wall-4x3.hdf5 tower.hdf5
total=0
for page in "$source/README.md" "$source"/docs/*.md; do
  guide=$(basename "$page" .md)
  /usr/bin/python3 "$source/tests/support/doc_blocks.py" "$page" "$guide"
  count=0
  for block in "$guide"/*; do
    [ -e "$block" ] || continue
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
      *) continue ;;
    esac
    stdbuf -oL ./program >out.txt 2>err.txt || { cat "$block" out.txt err.txt; die "$page: block $block"; }
    if [ -e "${block%.*}.out" ]; then
      diff -u "${block%.*}.out" out.txt || die "$page: the program of block $block prints something else"
    fi
    count=$((count + 1))
  done
  total=$((total + count))
  [ $count = 0 ] || echo "$guide.md: $count programs compiled and run"
done
[ $total -ge 10 ] || die "only $total programs in all pages"
