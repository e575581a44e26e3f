# shellcheck shell=bash
# Sourced by the other scripts: packages, LibTorch, tools, configuring and building.
# `set -euo pipefail` is the caller's. Everything said goes to stderr.

project=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
setup_log=$project/build/setup.log
libtorch_minimum=2.6
format_tools="clang-format==18.1.8 ruff==0.8.4"
references="tokenizers==0.23.3 sacrebleu==2.6.0"

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# fail MESSAGE: the person at the keyboard can mend it.
fail() {
  say "$@"
  exit 2
}

# usage FILE: prints the comment at the top of a script.
usage() { sed -n '2,/^[^#]/ s/^# \{0,1\}//p' "$1"; }

# lock FILE: one at a time; `unlock` or the end of the script lets the next one in.
lock() {
  mkdir -p "${1%/*}"
  exec 9>"$1"
  if command -v flock >/dev/null && ! flock -n 9; then
    say "waiting for another call to finish"
    flock 9
  fi
}

unlock() { exec 9>&-; }

# last_error: the line of the set-up log that says what went wrong.
last_error() { grep -E '^(E:|ERROR:|sudo:|.*[Ee]rror)' "$setup_log" | head -n 1 || true; }

# missing_packages PACKAGE...: those that Debian's package list does not show as installed.
missing_packages() {
  local package installed
  # shellcheck disable=SC2016  # the braces are dpkg-query's
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    [[ $'\n'$installed$'\n' == *$'\n'"installed $package"$'\n'* ]] || echo "$package"
  done
}

# install_packages PACKAGE...: installs the missing ones with apt-get, as root or through sudo.
install_packages() {
  local missing as_root=() apt
  mapfile -t missing < <(missing_packages "$@")
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null || fail "not root and no sudo; as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120)
  say "installing ${missing[*]}"
  mkdir -p "${setup_log%/*}"
  # The lists at hand may do where an update fails, so only the install decides.
  "${apt[@]}" update >"$setup_log" 2>&1 </dev/null || true
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >>"$setup_log" 2>&1 </dev/null ||
    fail "apt-get could not install ${missing[*]}: $(last_error) (all of it: build/setup.log);" \
      "check the network and the rights, or install them yourself"
}

# first_python PROBE NAME...: the first of these Pythons that runs the probe.
first_python() {
  local probe=$1 name
  shift
  for name in "$@"; do
    if "$name" -c "$probe" >/dev/null 2>&1; then
      echo "$name"
      return
    fi
  done
  return 1
}

# libtorch_version ROOT: prints it; fails where ROOT holds no whole LibTorch.
libtorch_version() {
  local library header numbers
  [[ -f $1/include/torch/csrc/api/include/torch/torch.h ]] || return 1
  for library in c10 torch_cpu torch; do
    compgen -G "$1/lib/lib$library.*" >/dev/null || compgen -G "$1/lib/*/lib$library.*" >/dev/null ||
      return 1
  done
  for header in headeronly/version.h csrc/api/include/torch/version.h; do
    [[ -f $1/include/torch/$header ]] || continue
    numbers=$(sed -n 's/.*define TORCH_VERSION_M[AI][JN]OR \([0-9]\{1,\}\)$/\1/p' \
      "$1/include/torch/$header")
    [[ -n $numbers ]] && echo "${numbers//$'\n'/.}" && return
  done
  return 1
}

# is_libtorch ROOT: whole, and new enough.
is_libtorch() {
  local version
  version=$(libtorch_version "$1") && printf '%s\n' "$libtorch_minimum" "$version" | sort -VC
}

# libtorch_root: the LibTorch to build with; 1 where there is none, 2 where ZOO_LIBTORCH is wrong.
libtorch_root() {
  local prefix prefixes candidate candidates=() python
  if [[ -n ${ZOO_LIBTORCH-} ]]; then
    is_libtorch "$ZOO_LIBTORCH" ||
      fail "ZOO_LIBTORCH=$ZOO_LIBTORCH holds no LibTorch >= $libtorch_minimum; mend or unset it"
    readlink -f "$ZOO_LIBTORCH"
    return
  fi
  IFS=':;' read -ra prefixes <<<"${CMAKE_PREFIX_PATH-}"
  # Python's torch.utils.cmake_prefix_path is <torch>/share/cmake.
  for prefix in "${prefixes[@]}"; do candidates+=("$prefix" "$prefix/../.."); done
  python=$(command -v python3 || command -v python || true)
  if [[ -n $python ]]; then
    candidates+=("$("$python" -c 'import importlib.util as u; s = u.find_spec("torch")
print(s.submodule_search_locations[0] if s else "")' 2>/dev/null || true)")
  fi
  [[ -e $project/.venv/.installing ]] || candidates+=("$project"/.venv/lib/python*/site-packages/torch)
  for candidate in "${candidates[@]}" /usr /usr/local; do
    if [[ -n $candidate ]] && is_libtorch "$candidate"; then
      readlink -f "$candidate"
      return
    fi
  done
  return 1
}

# project_files cpp|python|shell: the files of ours in that language, by ending or first line.
project_files() {
  local file first
  git -C "$project" ls-files --cached --others --exclude-standard | sort -u | while read -r file; do
    [[ -f $project/$file ]] || continue
    case $file in
      *.h | *.cpp) [[ $1 != cpp ]] || echo "$file" ;;
      *.py) [[ $1 != python ]] || echo "$file" ;;
      *.sh) [[ $1 != shell ]] || echo "$file" ;;
      scripts/* | .ci/*)
        read -r first <"$project/$file" || true
        [[ $first != "#!"*python* || $1 != python ]] || echo "$file"
        [[ $first != "#!"*sh || $1 != shell ]] || echo "$file"
        ;;
    esac
  done
}

# prepare_venv FOLDER PACKAGES LEAST: pinned Python packages in a virtual environment of their own.
prepare_venv() {
  local venv=$project/$1 packages=$2 least=$3 python
  [[ -f $venv/.installed && $(<"$venv/.installed") == "$packages" ]] && return
  lock "$project/build/.setup.lock"
  python=$(first_python "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, $least))" \
    python3 python3.{13,12,11,10,9} /usr/bin/python3) ||
    fail "no Python >= 3.$least with venv: install python3-venv"
  say "installing $packages into $1"
  # shellcheck disable=SC2086  # a list
  { "$python" -m venv --clear "$venv" &&
    "$venv/bin/python" -m pip install --disable-pip-version-check -q $packages; } \
    >"$setup_log" 2>&1 ||
    fail "pip could not install $packages: $(last_error) (all of it: build/setup.log);" \
      "check the network and call again"
  echo "$packages" >"$venv/.installed"
  unlock
}

# torch_python: prints a Python that has PyTorch.
torch_python() {
  first_python "import torch" "$project/.venv/bin/python" python3 python ||
    fail "no Python with torch: call scripts/setup without ZOO_LIBTORCH"
}

prepare_format_tools() { prepare_venv .venv-tools "$format_tools" 9; }

# prepare_references: what the [python] tests compare with.
prepare_references() { prepare_venv .venv-references "$references" 10; }

# configure PRESET [-D...]: makes build/PRESET ready, at once where nothing has changed.
configure() {
  local build=$project/build/$1 preset=$1 root state home log fresh=()
  shift
  root=$(libtorch_root) || fail "LibTorch not found: call scripts/setup"
  state="$project $root"
  [[ $# == 0 && -f $build/build.ninja && -f $build/.configured && $(<"$build/.configured") == "$state" ]] &&
    return
  mkdir -p "$build"
  log=$build/configure.log
  if [[ -f $build/CMakeCache.txt ]]; then
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
    [[ $home == "$project" ]] || fresh=(--fresh)  # the checkout was moved
  fi
  rm -f "$build/.configured"
  (cd "$project" && cmake --preset "$preset" "${fresh[@]}" -U 'LIBTORCH_*' -DZOO_LIBTORCH="$root" "$@") \
    >"$log" 2>&1 || {
    grep -A 12 'CMake Error' "$log" >&2 || cat "$log" >&2
    fail "cmake could not configure build/$preset (all of it: build/$preset/configure.log)"
  }
  echo "$state" >"$build/.configured"
}

# compile PRESET TARGET...: one status line on a terminal, elsewhere only what the compiler says.
compile() {
  local preset=$1 jobs memory ninja=()
  shift
  # A unit of LibTorch's headers takes up to 2 GiB.
  jobs=$(nproc)
  memory=$(awk '/^MemAvailable/ { print int($2 / 2097152) }' /proc/meminfo 2>/dev/null || true)
  [[ -n $memory ]] && ((memory < jobs)) && jobs=$((memory > 0 ? memory : 1))
  [[ -t 2 ]] || ninja=(-- --quiet)
  cmake --build "$project/build/$preset" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$jobs}" \
    --target "$@" "${ninja[@]}" >&2
}
