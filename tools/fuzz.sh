#!/bin/bash
# Runs fuzz targets one after the other: tools/fuzz.sh BUILD SECONDS [TARGET]...
#
# BUILD is the folder of the preset fuzz. What a target learns is kept in BUILD/work/TARGET/corpus and used again; a finding stops the
# target, is kept in BUILD/work/TARGET/found and makes the script end with 1. Long runs: docs/reliability.md.
set -euo pipefail
(($# >= 2)) || { echo "Usage: tools/fuzz.sh BUILD SECONDS [TARGET]..." >&2; exit 2; }
files=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../tests/fuzz
build=$(realpath "$1") seconds=$2
shift 2
(($#)) || set -- fclib fclib_edits siconos scene spec records trajectory gmsh

# HDF5 leaks where it refuses a damaged file; a null pointer for too much memory is an answer.
export LSAN_OPTIONS=suppressions=$files/leaks.supp:print_suppressions=0
export ASAN_OPTIONS=allocator_may_return_null=1:quarantine_size_mb=16
export UBSAN_OPTIONS=print_stacktrace=1

status=0
for target; do
  work=$build/work/$target
  mkdir -p "$work/corpus" "$work/found"
  # Bytes of an input, seconds of a run, and MiB in one request: HDF5 asks for what a variable-length text claims, up to 4 GiB, and does not
  # touch it; where it loops, its process is ended after 5 s of the processor.
  longest=4096 seconds_each=10 memory=256
  case $target in
    fclib) longest=20000 seconds_each=60 memory=8192 ;;
    fclib_edits) longest=512 memory=8192 ;;
    scene | trajectory) longest=6000 ;;
  esac
  options=(-max_total_time="$seconds" -max_len=$longest -malloc_limit_mb=$memory -rss_limit_mb=2048 -timeout=$seconds_each -print_final_stats=1)
  [ ! -e "$files/$target.dict" ] || options+=(-dict="$files/$target.dict")
  found=0
  "$build/tests/fuzz/fuzz_$target" "${options[@]}" -artifact_prefix="$work/found/" "$work/corpus" "$files/corpus/$target" \
    >"$work/log" 2>&1 || found=$?
  runs=$(grep -a -o 'number_of_executed_units: *[0-9]*' "$work/log" | grep -o '[0-9]*$' || true)
  if [ $found = 0 ]; then
    printf '%-12s %10s executions, no finding\n' "$target" "$runs"
  else
    printf '%-12s FINDING after %s executions: %s, log %s\n' "$target" "${runs:-?}" "$work/found" "$work/log"
    status=1
  fi
done
exit $status
