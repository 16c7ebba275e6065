#!/bin/bash
# Line and branch coverage of the last run of the tests: tools/coverage.sh [BUILD]. Called by `./test.sh --preset coverage`.
# Prints a table and leaves the annotated sources in BUILD/report/index.html.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
build=$(realpath "${1:-$root/build/coverage}")
mkdir -p "$build/report"
# Branches that only an exception thrown by the standard library can take say nothing about our tests.
common=(--root "$root" --object-directory "$build" --filter "$root/src/" --filter "$root/include/" --exclude-throw-branches
        --exclude-unreachable-branches -j 2)
gcovr "${common[@]}" --json "$build/report/coverage.json" --json-summary "$build/report/summary.json" \
  --html-details "$build/report/index.html" "$build"
again=(--root "$root" --add-tracefile "$build/report/coverage.json")
gcovr "${again[@]}" --txt "$build/report/lines.txt"
gcovr "${again[@]}" --txt "$build/report/branches.txt" --branches --print-summary >"$build/report/total.txt"
cat "$build/report/lines.txt"
grep -E '^(lines|branches)' "$build/report/total.txt"
echo "Annotated sources: $(realpath --relative-to="$PWD" "$build/report/index.html")"
