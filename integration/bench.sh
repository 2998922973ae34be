#!/usr/bin/env bash
# What sparkmemprof and its rivals cost, and how right its lines are: builds, makes a venv with them, measures, prints tables.
#
#   integration/bench.sh [--python PYTHON] cost [OPTIONS]       CPU time against bare runs; see `cost --help`
#   integration/bench.sh [--python PYTHON] jvm [OPTIONS]        the same for Spark jobs in a JVM; see `jvm --help`
#   integration/bench.sh [--python PYTHON] accuracy [OPTIONS]   a line's bytes against the truth; see `accuracy --help`
#   integration/bench.sh [--python PYTHON] jvm-accuracy [OPT…]  the heap's bytes against the truth; see `jvm-accuracy --help`
#   integration/bench.sh watcher [OPTIONS]                      what watching an executor costs; needs root; see `watcher --help`
#   integration/bench.sh publish                                writes docs/benchmarks.md from what was measured so far
#
# PYTHON: the CPython to measure with (default: 3.11). Measure on an idle machine: what else runs shows in the intervals.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tools/setup.sh"
python=
if [ "${1:-}" = --python ]; then
  python=$(command -v "${2:-}") || fail "no such Python: '${2:-}'"
  shift 2
fi
case ${1:-} in
  cost | jvm | accuracy | jvm-accuracy | watcher | publish) script=$1; shift ;;
  -h | --help) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  *) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2; exit 2 ;;
esac

if [ "$script" = publish ]; then # reads what the others have written
  setup_python
  exec "$PYTHON" "$PROJECT/integration/bench/publish.py" "$@"
fi
if [ "$script" = watcher ]; then # with Spark, as the tests run it
  [ -z "$python" ] || fail "--python says nothing to watcher: Spark's workers have the Python of the tests"
  setup_tests
  own_environment
  exec "$BUILD/tools/bin/python" "$PROJECT/integration/bench/watcher.py" "$@"
fi
setup_lock
[ "$script" != accuracy ] || BUILD_TARGETS+=(_box_reader)
setup_build
setup_wheel
[ -n "$python" ] || { setup_python; python=$PYTHON; }
venv=$BUILD/bench/venv-$("$python" -c 'import platform; print(platform.python_version())')
setup_venv "$venv" "$PROJECT/integration/bench/requirements.txt" "$python"
setup_package "$venv"
setup_unlock

own_environment
exec "$venv/bin/python" "$PROJECT/integration/bench/${script//-/_}.py" "$@"
