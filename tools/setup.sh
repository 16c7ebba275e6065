# Set-up shared by run.sh and test.sh (sourced, bash). Everything it says goes to stderr, so that stdout belongs to the program.
#
#   require_packages GROUP...              installs the missing packages of those groups of tools/packages.txt
#   build_preset PRESET DIR TARGET ARG...  configures PRESET in DIR if needed and builds TARGET; silent when there is nothing to do
#
# The caller sets `root`, the folder of the repository.

say() { printf 'cornet: %s\n' "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# Runs a command with its output in LOG; shows the end of LOG and stops if the command fails.
logged() {
  local what=$1 log=$2
  shift 2
  if ! "$@" >>"$log" 2>&1 </dev/null; then
    tail -n 60 "$log" >&2
    die "$what failed; the whole output is in $log"
  fi
}

require_packages() {
  local groups=" $* " group package reason known
  command -v dpkg-query >/dev/null || return 0  # not Debian: CMake names what it cannot find
  local -a wanted=() missing=()
  local -A why=()
  while read -r group package reason; do
    [[ $groups == *" $group "* ]] || continue
    wanted+=("$package")
    why[$package]=$reason
  done <"$root/tools/packages.txt"
  known=$'\n'$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)$'\n'
  for package in "${wanted[@]}"; do
    [[ $known == *$'\n'"installed $package"$'\n'* ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  say "installing ${#missing[@]} missing Debian packages:"
  for package in "${missing[@]}"; do printf '    %-24s %s\n' "$package" "${why[$package]}" >&2; done
  local -a as_root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "this needs root or sudo; as root, run: apt-get install --no-install-recommends ${missing[*]}"
    # A password is asked for here, not inside a command whose output is hidden.
    sudo -v || die "sudo refused; as root, run: apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo)
  fi
  mkdir -p "$root/build"
  local log=$root/build/packages.log
  : >"$log"
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
  # One dead source must not stop us: the install decides.
  "${apt[@]}" update >>"$log" 2>&1 </dev/null || say "apt-get update complained; going on"
  logged "installing packages" "$log" "${apt[@]}" install --no-install-recommends "${missing[@]}"
}

# Shows a build as one line: rewritten in place on a terminal, printed once elsewhere. Says nothing when there is nothing to do.
build_progress() {
  local line shown=
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\ (.*) ]] || continue
    [[ ${BASH_REMATCH[3]} == "Re-checking globbed"* || ${BASH_REMATCH[3]} == "Re-running CMake"* ]] && continue
    if [ -t 2 ]; then
      printf '\rcornet: building %s of %s ' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
    elif [ -z "$shown" ]; then
      say "building, ${BASH_REMATCH[2]} steps"
    fi
    shown=1
  done
  if [ -n "$shown" ] && [ -t 2 ]; then printf '\r\033[K' >&2; fi
}

build_preset() {
  local preset=$1 dir=$2 target=$3 lock
  shift 3
  mkdir -p "$dir" || die "cannot write to $dir"
  [ -w "$dir" ] || die "cannot write to $dir (built by another user?)"
  exec {lock}>"$dir/.lock"
  flock -n "$lock" || { say "waiting for another build in $dir"; flock "$lock"; }
  local log=$dir/build.log
  # Configure when this was never done to the end, or when the folder was moved.
  if [ ! -e "$dir/.configured" ] || ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$dir/CMakeCache.txt"; then
    say "configuring (preset $preset)"
    : >"$log"
    logged "configuring" "$log" cmake -S "$root" --preset "$preset" -B "$dir" --fresh "$@"
    touch "$dir/.configured"
  fi
  if ! NINJA_STATUS='[%f/%t] ' ninja -C "$dir" -j "$(nproc)" "$target" 2>&1 </dev/null | tee "$log" | build_progress; then
    grep -v '^\[[0-9]*/[0-9]*\] ' "$log" | tail -n 80 >&2
    die "the build failed; the whole output is in $log"
  fi
  exec {lock}>&-
}
