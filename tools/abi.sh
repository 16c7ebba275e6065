#!/bin/bash
# The names that the shared library of a build shows, one per line: tools/abi.sh BUILD > tests/install/abi.txt
set -euo pipefail
nm --dynamic --defined-only --extern-only --format=posix "${1:?a build folder}/libcornet.so" |
  sed 's/@.*//; s/ .*//' | grep -v '^CORNET_' | c++filt | LC_ALL=C sort
