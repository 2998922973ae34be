#!/usr/bin/env bash
# Builds and runs every test: C++, Python, JVM, the report in a browser, and real Spark. Closes with `N passed, N failed, N skipped`.
#
#   tests/run.sh [SUITE…]      suites: checks cpp python browser jvm spark; all of them without an argument
#
# Installs what is missing (Debian packages when root, Python packages into build/). Each failed or skipped test is named
# with its reason at the end; details are in build/test-results.
set -uo pipefail
case ${1:-} in -h | --help) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
source tools/setup.sh
suites=("${@:-}")
[ -n "${suites[0]}" ] || suites=(checks cpp python browser jvm spark)
for suite in "${suites[@]}"; do
  case $suite in checks | cpp | python | browser | jvm | spark) ;; *) fail "unknown suite '$suite'; see --help" ;; esac
done

one_at_a_time "$BUILD/test-lock" "tests/run.sh"
setup_lock
setup_build "${APT_TEST[@]}"
setup_wheel
setup_spark 4
export MEMPROF_PYTHON_4=$SPARK_VENV/bin/python
setup_spark 3.5
export MEMPROF_PYTHON_3_5=$SPARK_VENV/bin/python
setup_unlock

results=$BUILD/test-results
rm -rf "$results"
mkdir -p "$results"
export MEMPROF_BUILD=$BUILD/$PRESET
own_environment

run_pytest() { # SUITE PYTHON FOLDER…
  local suite=$1 python=$2
  shift 2
  "$python" -m pytest -q -p no:cacheprovider --junitxml "$results/$suite.xml" -o junit_suite_name="$suite" "$@"
}

for suite in "${suites[@]}"; do
  say "suite $suite"
  case $suite in
    cpp) ctest --test-dir "$MEMPROF_BUILD" --output-on-failure --output-junit "$results/cpp.xml" -j "$(nproc)" --progress 2>&1 | tail -n 40 ;;
    checks) run_pytest checks "$BUILD/tools/bin/python" tests/checks ;;
    python) run_pytest python "$BUILD/tools/bin/python" tests/python ;;
    browser) run_pytest browser "$BUILD/tools/bin/python" tests/browser ;;
    jvm) run_pytest jvm "$BUILD/tools/bin/python" tests/jvm ;;
    spark) run_pytest spark "$BUILD/tools/bin/python" integration/tests ;;
  esac
done
exec "$BUILD/tools/bin/python" tests/summary.py "$results" "${suites[@]}"
