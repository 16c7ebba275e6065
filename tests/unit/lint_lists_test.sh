#!/bin/bash
# The lists of tools/lint.sh are true: every check named exists, every exception names a file that exists and a reason. The analysis itself takes
# long and is run by hand (./test.sh --lint).
set -euo pipefail
source=${CORNET_SOURCE:?set CORNET_SOURCE to the sources}
cd "$source"
bad=0
complain() { echo "$*"; bad=1; }

# faults_of FILE: .clang-tidy names every check that is left out, with a reason, and gives no reason for anything else.
faults_of() {
  diff <(sed -n 's/^ *-\([a-z].*[a-z*]\),*$/\1/p' "$1" | sort) <(sed -n 's/^#   \([a-z][^: ]*\): ..*/\1/p' "$1" | sort) || true
}
for file in .clang-tidy tests/.clang-tidy; do
  [ -z "$(faults_of "$file")" ] || complain "$file: the checks left out (<) and the reasons (>) differ: $(faults_of "$file")"
done

# NOLINT(check): reason, never for everything.
sloppy() { grep -rnE 'NOLINT' "$@" --include='*.cc' --include='*.h' --include='*.inc' | grep -vE 'NOLINT(NEXTLINE|BEGIN|END)?\([a-z][A-Za-z0-9.,-]*\)(: .+|$)' |
  grep -v 'NOLINTEND(' || true; }
[ -z "$(sloppy include src python/src tests)" ] || complain "NOLINT without a check or a reason: $(sloppy include src python/src tests)"

# id[:file] # reason; a heading line gives the reason for the lines without one below it.
heading=
while IFS= read -r line; do
  case $line in '#'*) heading=$line; continue ;; esac
  entry=${line%%#*} reason=
  [[ $line == *#* ]] && reason=${line#*#}
  entry=${entry%"${entry##*[! ]}"}
  [ -n "${reason// /}" ] || [[ $heading == *:* ]] || complain "tools/cppcheck_exceptions.txt: no reason for $entry"
  [[ $entry != *:* ]] || [ -f "${entry#*:}" ] || complain "tools/cppcheck_exceptions.txt: ${entry#*:} does not exist"
done <tools/cppcheck_exceptions.txt

if command -v clang-tidy >/dev/null; then
  all=$(clang-tidy --checks='*' --list-checks)
  { sed -n 's/^  -*\([a-z][a-z0-9-]*-[A-Za-z0-9.-]*\),*$/\1/p' .clang-tidy tests/.clang-tidy
    grep -rhoE 'NOLINT[A-Z]*\([^)]*' include src python/src tests --include='*.cc' --include='*.h' | sed 's/.*(//' | tr ',' '\n'; } | sort -u |
    while IFS= read -r check; do
      grep -qE "^ *$check\$" <<<"$all" || echo "clang-tidy does not know $check"
    done >"${TMPDIR:-/tmp}/lint_lists.$$"
  unknown=$(cat "${TMPDIR:-/tmp}/lint_lists.$$")
  rm -f "${TMPDIR:-/tmp}/lint_lists.$$"
  [ -z "$unknown" ] || complain "$unknown"
fi
[ "$(grep -c . tools/cppcheck_exceptions.txt)" -gt 5 ] || complain "tools/cppcheck_exceptions.txt was not read"
exit $bad
