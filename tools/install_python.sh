#!/bin/bash
# Installs what is missing (Debian 12), makes a Python environment and installs the package cornet in it: tools/install_python.sh [DIR], env by
# default. Nothing is downloaded but Debian packages.
set -euo pipefail
root=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/..
root=$(readlink -f "$root")
. "$root/tools/setup.sh"

environment=${1:-env}
require_packages build python
[ -e "$environment/bin/pip" ] || /usr/bin/python3 -m venv --system-site-packages "$environment"
mkdir -p "$root/build"
log=$root/build/pip.log
: >"$log"
say "building the package cornet; the output is in $log"
logged "pip install" "$log" "$environment/bin/pip" install --no-index "$root"
"$environment/bin/python" -c 'import cornet; print("cornet", cornet.__version__, "is installed")'
say "use it with: $environment/bin/python"
