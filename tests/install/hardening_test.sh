#!/bin/bash
# What cmake/flags.cmake promises of a release build, read from the installed files: addresses chosen at start (PIE), nothing writable that
# may be run, tables of the linker read-only after start, guarded stacks, checked calls of the C library, no search path for libraries.
here=$(dirname "$(readlink -f "$0")")
. "$here/support.sh"
command -v readelf >/dev/null || { echo "no readelf: skipped"; exit 77; }
[ -z "$flags" ] || { echo "an instrumented build is not hardened: skipped"; exit 77; }
[ "$(cached CMAKE_BUILD_TYPE)" = Release ] || { echo "not a release build: skipped"; exit 77; }
case $(cached CORNET_HARDEN) in OFF | 0 | FALSE) echo "CORNET_HARDEN is off: skipped"; exit 77 ;; esac

# faults KIND FILE (program, library or module): one line for each thing that is missing.
faults() {
  local kind=$1 file=$2 segments dynamic symbols
  segments=$(readelf -lW "$file") dynamic=$(readelf -dW "$file") symbols=$(readelf -W --dyn-syms "$file")
  if [ "$kind" = program ]; then
    grep -q 'Type: *DYN' <<<"$(readelf -hW "$file")" && grep -q 'FLAGS_1.*PIE' <<<"$dynamic" || echo "no PIE"
  fi
  grep -q GNU_RELRO <<<"$segments" || echo "no RELRO"
  grep -qE '\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW' <<<"$dynamic" || echo "no BIND_NOW"
  grep -qE 'GNU_STACK.* RW ' <<<"$segments" || echo "executable stack"
  ! grep -qE '^ *LOAD.* RWE ' <<<"$segments" || echo "a segment that is writable and executable"
  ! grep -q TEXTREL <<<"$dynamic" || echo "text relocations"
  # The module of the build tree still has one, which an installation takes out.
  [ "$kind" = module ] || ! grep -qE 'RPATH|RUNPATH' <<<"$dynamic" || echo "a search path for libraries"
  grep -q ' __stack_chk_fail' <<<"$symbols" || echo "no guarded stacks"
  grep -qE ' __[a-z]+_chk(@|$| )' <<<"$(grep -v __stack_chk_fail <<<"$symbols")" || echo "no checked calls of the C library"
}

install_tree
library=$(readlink -f "$libdir/libcornet.so")
for pair in "program $prefix/bin/cornet" "library $library" "module $(ls "$build"/python/cornet/_core*.so 2>/dev/null || true)"; do
  read -r kind file <<<"$pair"
  [ -n "$file" ] || continue
  found=$(faults "$kind" "$file")
  [ -z "$found" ] || die "$(basename "$file"): $found"
  chk=$(readelf -W --dyn-syms "$file" | grep -oE '__[a-z]+_chk' | grep -v __stack_chk | sort -u | tr '\n' ' ')
  echo "$(basename "$file"): hardened; checked calls: $chk"
done

# The same look at a program without any of it finds all of it.
cat >"$work/soft.c" <<'END'
#include <stdio.h>
#include <string.h>
int main(int argc, char** argv) {
  char text[16];
  strcpy(text, argv[argc - 1]);
  return puts(text) < 0;
}
END
quietly "${CC:-cc}" -O1 -U_FORTIFY_SOURCE -fno-stack-protector -no-pie -fno-pie -o "$work/soft" "$work/soft.c" \
  -Wl,-z,norelro,-z,lazy,-z,execstack,-rpath,/nowhere
expected=$'no PIE\nno RELRO\nno BIND_NOW\nexecutable stack\na search path for libraries\nno guarded stacks\nno checked calls of the C library'
[ "$(faults program "$work/soft")" = "$expected" ] || die "a soft program is described as: $(faults program "$work/soft")"
