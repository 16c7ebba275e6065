#!/bin/bash
# Who may include whom (docs/architecture.md), read off the #include lines:
#
#   src/linalg → core → contact → convex → existence → solvers   a folder may include itself, those to its left and the public headers
#   src/linalg                                   of the public headers only the data types: problem.h, error.h
#   src/io samples reproduce campaign sim cli capi, python   the public headers and themselves
#   src/core, src/convex: certificate.cc         the public headers, Eigen, fmt and the standard library: no code shared with a solver
#   include/cornet                               other public headers and the standard library
#
# First the check is tried on a tree with one planted violation of every kind, then run on the sources. include_order_test.sh [ROOT]
set -euo pipefail

# Prints "FILE:LINE: why" for every offender below ROOT.
offenders() {
  (cd "$1" && grep -rnE --include='*.h' --include='*.cc' --include='*.inc' '^[[:space:]]*#[[:space:]]*include' include src python 2>/dev/null || true) | awk '
    BEGIN {
      n = split("linalg core contact convex existence solvers", chain, " ")
      for (k = 1; k <= n; k++) rank[chain[k]] = k
      split("io samples reproduce campaign sim cli capi python", list, " ")
      for (k in list) surface[list[k]] = 1
    }
    function offend(why) { print where ": " why }
    {
      match($0, /:[0-9]+:/)
      file = substr($0, 1, RSTART - 1)
      where = substr($0, 1, RSTART + RLENGTH - 2)
      line = substr($0, RSTART + RLENGTH)
      if (!match(line, /["<][^">]+[">]/)) { offend("an #include that is no plain file name"); next }
      quoted = substr(line, RSTART, 1) == "\""
      target = substr(line, RSTART + 1, RLENGTH - 2)

      depth = split(file, path, "/")
      folder = path[1] == "src" ? (depth > 2 ? path[2] : "") : path[1]
      split(target, part, "/")
      public = part[1] == "cornet"
      standard = !quoted && (target !~ /[.\/]/ || target == "stdint.h")  # the C interface has the header of C
      ours = quoted || part[1] in rank || part[1] in surface  # <fmt/core.h> is not ours, <core/x.h> is

      if (target ~ /\.cc$/) { offend(target " is a source, not a header"); next }
      if (target ~ /(^|\/)\.\.?\//) { offend(target " is a relative path; write FOLDER/NAME.h"); next }
      if (folder == "include") {
        if (!public && !standard) offend("a public header may not include " target)
        next
      }
      if (file == "src/core/certificate.cc" || file == "src/convex/certificate.cc") {
        if (!public && !standard && (quoted || target !~ /^(Eigen|fmt)\//)) offend("the certificate may not include " target)
        next
      }
      if (!(folder in rank) && !(folder in surface)) {
        if (folder != "") offend("src/" folder " has no place in the order of includes: add it to this test and to docs/architecture.md")
        else if (ours || public) offend("a file directly in src may include only libraries, not " target)
        next
      }
      if (public) {
        if (folder == "linalg" && target !~ /^cornet\/(problem|error)\.h$/) offend("linalg may not include " target)
        next
      }
      if (!ours) next
      if (part[2] == "") { if (target != "pch.h") offend(target " has no folder; write FOLDER/NAME.h"); next }
      if (part[1] == folder) next
      if (folder in surface) offend(folder " may include only public headers and its own, not " target)
      else if (!(part[1] in rank) || rank[part[1]] > rank[folder]) offend(folder " may not include " target)
    }'
}

# plant FILE TEXT: adds a file to the tree of the self-check.
plant() {
  mkdir -p "$tree/$(dirname "$1")"
  printf '%s\n' "$2" >>"$tree/$1"
}

self_check() {
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  plant include/cornet/problem.h '#include <vector>'
  plant include/cornet/result.h '#include "cornet/problem.h"'
  plant src/linalg/block.h $'#include <Eigen/Core>\n#include "cornet/problem.h"'
  plant src/core/certificate.cc $'#include "cornet/certificate.h"\n#include <Eigen/Dense>\n#include <cmath>'
  plant src/contact/cone.h '#include "linalg/block.h"'
  plant src/solvers/nsgs.cc $'#include "contact/cone.h"\n#include "solvers/kernel.h"\n  #  include "solvers/solvers.inc"\n#include "cornet/solver.h"'
  plant src/cli/main.cc $'#include <CLI/CLI.hpp>\n#include "cli/render.h"\n#include "cornet/io.h"'
  local found
  found=$(offenders "$tree")
  [ -z "$found" ] || { echo "self-check: a clean tree has offenders:"; echo "$found"; exit 1; }

  local planted=0
  while IFS='|' read -r file text; do
    plant "$file" "$text"
    planted=$((planted + 1))
    found=$(offenders "$tree")
    [ "$(grep -c . <<<"$found")" = $planted ] || { echo "self-check: not noticed in $file: $text"; echo "$found"; exit 1; }
    grep -q "^$file:" <<<"$found" || { echo "self-check: the wrong file is blamed for $file: $text"; exit 1; }
  done <<'END'
include/cornet/problem.h|#include <Eigen/Core>
include/cornet/result.h|#include "core/driver.h"
src/linalg/block.h|#include "core/driver.h"
src/linalg/block.h|#include "cornet/solver.h"
src/core/driver.cc|#include "solvers/registry.h"
src/core/driver.cc|#include <solvers/registry.h>
src/core/driver.cc|#include "driver.h"
src/core/certificate.cc|#include "linalg/block.h"
src/core/certificate.cc|#include "core/residual.h"
src/convex/certificate.cc|#include "convex/set_law.h"
src/contact/cone.h|  # include "convex/engine.h"
src/solvers/nsgs.cc|#include "cli/render.h"
src/solvers/nsgs.cc|#include "../contact/cone.h"
src/solvers/nsgs.cc|#include "solvers/other.cc"
src/solvers/solvers.inc|#include "io/fclib.h"
src/io/fclib.cc|#include "core/driver.h"
src/samples/box.cc|#include "linalg/block.h"
src/cli/main.cc|#include "solvers/registry.h"
src/sim/scene.cc|#include "cli/render.h"
src/util/misc.h|#include <vector>
python/bindings.cc|#include "core/driver.h"
END
}

self_check
root=${1:-${CORNET_SOURCE:-$(dirname "$(readlink -f "$0")")/../..}}
[ -d "$root/src" ] || { echo "no sources in $root"; exit 1; }
found=$(offenders "$root")
if [ -n "$found" ]; then
  echo "$found"
  echo "$(grep -c . <<<"$found") includes against the order of docs/architecture.md"
  exit 1
fi
echo "includes go one way in $(find "$root/include" "$root/src" -name '*.h' -o -name '*.cc' -o -name '*.inc' | wc -l) files"
