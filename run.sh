#!/bin/bash
# Installs what is missing, builds the release and runs it: `./run.sh ARGUMENTS` is `cornet ARGUMENTS`, `./run.sh` is the demonstration.
set -euo pipefail
root=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
. "$root/tools/setup.sh"

build=$root/build/run
# A build that another user made (sudo ./run.sh, then ./run.sh) is used as it is while no source is newer.
if [ -w "$build" ] || [ ! -x "$build/cornet" ] || [ -n "$(find "$root/src" "$root/include" -newer "$build/cornet" -print -quit)" ]; then
  require_packages build
  build_preset release "$build" cornet_cli -DCORNET_TESTS=OFF
fi
(($#)) || set -- demo
exec "$build/cornet" "$@"
