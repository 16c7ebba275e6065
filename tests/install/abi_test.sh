#!/bin/bash
# The names that the shared library shows are those of tests/install/abi.txt. A name that is gone or changed breaks programs that use it:
# with it goes the soname. To accept a change: tools/abi.sh BUILD > tests/install/abi.txt
here=$(dirname "$(readlink -f "$0")")
. "$here/support.sh"
[ -z "$flags" ] || { echo "an instrumented build shows more names: skipped"; exit 77; }

# A function of a public header without the mark would be missing for users of the shared library.
unmarked=$(cd "$source/include" && grep -nE '^[a-zA-Z][a-zA-Z0-9_:<>,*& ]*\(' cornet/*.h |
  grep -vE ':[0-9]+:(CORNET_API|inline|template|using|constexpr|struct|class|enum|typedef) ' || true)
[ -z "$unmarked" ] || die "functions of public headers without CORNET_API: $unmarked"

"$source/tools/abi.sh" "$build" >"$work/abi.txt"
diff -u "$here/abi.txt" "$work/abi.txt" || die "the shared library shows other names than tests/install/abi.txt"
others=$(grep -vE '^(cornet_|cornet::|(vtable|typeinfo|typeinfo name) for cornet::)' "$work/abi.txt" || true)
[ -z "$others" ] || die "names that are not ours: $others"
echo "$(wc -l <"$work/abi.txt") names, as listed"
