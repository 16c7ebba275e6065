#!/bin/bash
# Installs what is missing, builds with tests and runs them all through CTest.
set -euo pipefail
root=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
. "$root/tools/setup.sh"

usage() {
  cat <<END
Usage: ./test.sh [--preset NAME] [--long] [-R REGEX]
       ./test.sh --fuzz [SECONDS]
       ./test.sh --lint

  --preset NAME   release (default), dev, asan, tsan or coverage; each has its own folder build/NAME
  --long          run the long tests too
  -R REGEX        only the tests whose name matches
  --fuzz          instead of the tests, feed every reader with changed files for SECONDS (60) each (clang; folder build/fuzz)
  --lint          instead of the tests, clang-tidy and cppcheck over all sources (tools/lint.sh; the first time takes an hour)
END
}

preset=release long= regex= fuzz=
while (($#)); do
  case $1 in
    --preset) preset=${2:?--preset needs a name}; shift ;;
    --preset=*) preset=${1#*=} ;;
    --long) long=1 ;;
    --fuzz)
      fuzz=60
      if [[ ${2-} =~ ^[0-9]+$ ]]; then fuzz=$2; shift; fi
      ;;
    --lint) exec "$root/tools/lint.sh" ;;
    -R) regex=${2:?-R needs a regular expression}; shift ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
  shift
done
if [ -n "$fuzz" ]; then
  require_packages build fuzz
  build_preset fuzz "$root/build/fuzz" all
  exec "$root/tools/fuzz.sh" "$root/build/fuzz" "$fuzz"
fi
groups=(build python test docs)
[ -z "$long" ] || groups+=(lint)
case $preset in
  release | dev | asan | tsan) ;;
  coverage) groups+=(coverage) ;;
  *) usage >&2; exit 2 ;;
esac

require_packages "${groups[@]}"
build=$root/build/$preset
build_preset "$preset" "$build" all

data=$(sed -n 's/^CORNET_DATA:PATH=//p' "$build/CMakeCache.txt")
if [ -d "$data" ]; then
  echo "Real problems: $(find "$data" -name '*.hdf5' | wc -l) files in $(realpath --relative-to="$PWD" "$data"); the tests over them run."
else
  echo "Real problems: none (no folder ../shared/data); the tests over them are SKIPPED, the others use generated problems."
fi

select=(--no-tests=error)
[ -z "$regex" ] || select+=(-R "$regex")
[ -n "$long" ] || select+=(-LE '^long$' -E '[._]long$')
wrap=()
case $preset in
  # g++ 12's thread sanitizer cannot place its shadow memory under some kernels' address randomisation.
  tsan) if setarch -R true 2>/dev/null; then wrap=(setarch -R); fi ;;
  coverage) find "$build" -name '*.gcda' -delete ;;
esac
status=0
"${wrap[@]}" ctest --test-dir "$build" -j2 --output-on-failure "${select[@]}" || status=$?
if [ "$preset" = coverage ]; then "$root/tools/coverage.sh" "$build"; fi
if [ $status = 0 ]; then
  echo "All tests passed (preset $preset, $SECONDS s with set-up and build)."
else
  echo "Some tests FAILED (preset $preset). Again, one alone: ./test.sh --preset $preset -R NAME"
fi
exit $status
