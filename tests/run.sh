#!/usr/bin/env bash
# Builds and runs the tests: C++, Python, JVM, the report in a browser, and real Spark. Closes with `N passed, N failed, N skipped`.
#
#   tests/run.sh [SUITE…]            the landing tier. Suites: checks cpp python browser jvm spark
#                                    spark-alone; all of them without an argument
#   tests/run.sh --full [SUITE…]     everything: each Spark line with each test, every CPython's own tests, clang-tidy; and suites
#                                    asan and tsan, the C++ tests under those sanitizers, and fuzz. A suite that has passed on this
#                                    commit is not run again, so an interrupted run goes on where it was; --again runs it nevertheless
#
# MEMPROF_TEST_PATIENCE=3 makes tests wait three times as long for whatever they wait for.
# Installs what is missing (Debian packages when root, Python packages into build/). Each failed or skipped test is named
# with its reason at the end; details and summary.json are in build/test-results. What is proved where: docs/testing.md.
set -uo pipefail
usage() { sed -n '2,13s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
source tools/setup.sh
tier=landing again=
suites=()
known=(checks cpp python browser jvm spark spark-alone)
for argument in "$@"; do
  case $argument in
    -h | --help) usage; exit 0 ;;
    --full) tier=full ;;
    --again) again=1 ;;
    -*) fail "unknown option '$argument'; see --help" ;;
    *) suites+=("$argument") ;;
  esac
done
[ "$tier" = landing ] || known+=(asan tsan fuzz)
for suite in "${suites[@]}"; do
  [[ " ${known[*]} " = *" $suite "* ]] || fail "unknown suite '$suite' of the $tier tier: ${known[*]}; see --help"
done
[ ${#suites[@]} -gt 0 ] || suites=("${known[@]}")

[[ ${MEMPROF_TEST_PATIENCE:-1} = [1-9]* && ${MEMPROF_TEST_PATIENCE:-1} != *[!0-9]* ]] ||
  fail "MEMPROF_TEST_PATIENCE is a whole number above 0, not '$MEMPROF_TEST_PATIENCE'"

one_at_a_time "$BUILD/test-lock" "tests/run.sh"
rm -f "$BUILD/test-results/summary.json"
want_room $([ -e "$BUILD/release" ] && echo 1 || echo 4) "$BUILD"
want_room 2 "${TMPDIR:-/tmp}"
want_room 1 "${XDG_CACHE_HOME:-$HOME/.cache}" # of ccache, third-party libraries and classes
commit=$(git rev-parse HEAD 2>/dev/null) || fail "tests/run.sh names the commit it tested: run it in a git checkout"
dirty=false
[ -z "$(git status --porcelain 2>/dev/null)" ] || dirty=true
[ "$tier" = landing ] || setup_cpythons
setup_tests
[ "$tier" = landing ] || setup_jdks
steps=()
for step in "${STEPS[@]}"; do steps+=(--step "$step"); done

# Results of the full tier are kept by commit, for a run that goes on.
results=$BUILD/test-results
[ "$tier" = landing ] || results=$BUILD/test-results-full/$commit
if [ "$tier" = landing ] || [ "$dirty" = true ] || [ -n "$again" ]; then
  for suite in "${suites[@]}"; do rm -f "$results/$suite".*; done
fi
mkdir -p "$results" "$BUILD/test-results"
own_environment

run_pytest() { # SUITE FOLDER OPTION…
  local suite=$1 marks="alone or not alone"
  shift
  case $suite in spark) marks="not alone" ;; spark-alone) marks=alone ;; esac
  local options=(-q -p no:cacheprovider --timeout $((600 * ${MEMPROF_TEST_PATIENCE:-1})) --junitxml "$results/$suite.xml" -o junit_suite_name="$suite")
  [ "$tier" = full ] || marks="($marks) and not full"
  options+=(-m "$marks")
  "$BUILD/tools/bin/python" -m pytest "${options[@]}" "$@"
}

run_ctest() { # SUITE BUILD
  ctest --test-dir "$2" --output-on-failure --output-junit "$results/$1.xml" -j "$(nproc)" --progress 2>&1 | tail -n 40
}

summary() { # SUITE…
  "$BUILD/tools/bin/python" tests/summary.py "$results" "$@" --commit "$commit" --dirty "$dirty" --tier "$tier"
}

run_fuzzers() {
  setup_apt clang libclang-rt-14-dev
  progress "cmake: configuring fuzz" cmake --preset fuzz
  progress "cmake: building fuzz" cmake --build "$BUILD/fuzz" --target box_reader_fuzzer decoder_fuzzer
  ctest --test-dir "$BUILD/fuzz" -L fuzz --output-on-failure --output-junit "$results/fuzz.xml" -j "$(nproc)" --progress 2>&1 | tail -n 40
}

# Large tests of one thread, of which ThreadSanitizer can say nothing: with it they take a quarter of an hour. AddressSanitizer has them.
of_one_thread="EventLog.OfVeryManyStagesStaysAReport|BoxReaderTest.TwentyThousandMutationsAreSurvived|ReportJson.SurvivesDamage"
of_one_thread+="|RssRows.WhatStandsIsRememberedButForStacksAndLibraries|Bounds.DeepStacksDoNotMakeAReportLarge"
of_one_thread+="|Bounds.VeryManyStagesAndExecutorsStayWithinStoreAndReport|BoxWorkTest.OneTextForAllFramesIsNotCopiedWithoutEnd"
of_one_thread+="|SampleLog.CutAnywhereItGivesWhatIsWhole"

build_sanitized() { # PRESET COMMAND…, which runs what it is given, as `progress` does
  local preset=$1
  shift
  "$@" "cmake: configuring $preset" cmake --preset "$preset"
  "$@" "cmake: building $preset" cmake --build "$BUILD/$preset" --target core_tests profile_tests agent_tests report_tests program_tests eventlog_tests hooks_tests python_hooks_tests
}

# While tests of suite jvm wait for collections, which they mostly do. What fails is told by the suite whose build it is.
build_in_idle_time() { # PRESET…
  local preset
  in_idle_time() { nice -n 19 "${@:2}"; }
  for preset in "$@"; do
    [[ " ${suites[*]} " != *" $preset "* ]] || build_sanitized "$preset" in_idle_time
  done >"$LOGS/cmake-in-idle-time.log" 2>&1
}

run_sanitized() { # SUITE, which is its preset's name, too
  local without='^(java_glue|hook_room_symbols)'
  [ "$1" != tsan ] || without+="|^($of_one_thread)\$"
  build_sanitized "$1" progress
  ctest --test-dir "$BUILD/$1" --output-on-failure --output-junit "$results/$1.xml" -j "$(nproc)" --progress \
    -E "$without" 2>&1 | tail -n 40
}

run_jvm() {
  local status
  [ "$tier" = landing ] || build_in_idle_time asan tsan &
  run_pytest jvm tests/jvm -n 4 --dist worksteal
  status=$?
  wait
  return "$status"
}

run_suite() { # as a job in the background
  RUNNING=
  trap end_running EXIT
  trap 'exit 143' TERM
  case $1 in
    cpp) run_ctest cpp "$MEMPROF_BUILD" ;;
    checks) run_pytest checks tests/checks ;;
    python) run_pytest python tests/python -n 2 --dist loadfile ;;
    browser) run_pytest browser tests/browser -n 2 --dist worksteal ;;
    jvm) run_jvm ;;
    spark) run_pytest spark integration/tests -n 4 --dist loadgroup "${line_option[@]}" ;;
    spark-alone) run_pytest spark-alone integration/tests "${line_option[@]}" ;;
    asan | tsan) run_sanitized "$1" ;;
    fuzz) run_fuzzers ;;
  esac
}

trap 'end_running 60' EXIT # a suite may build
line_option=()
[ "$tier" = landing ] || line_option=(--every-line)
for suite in "${suites[@]}"; do
  if [ -e "$results/$suite.status" ] && summary "$suite" >"$results/$suite.summary"; then
    say "suite $suite: it has passed on this commit"
    continue
  fi
  say "suite $suite"
  rm -f "$results/$suite".*
  started=$SECONDS
  set -m # a process group of its own, with which it ends when we do
  run_suite "$suite" </dev/null &
  set +m
  RUNNING=$!
  wait "$RUNNING"
  status=$?
  RUNNING=
  if [ "$dirty" = false ] && [ "$(git rev-parse HEAD)$(git status --porcelain)" != "$commit" ]; then
    status="unknown: the checkout was changed while it ran"
  fi
  printf '%s\n' $((SECONDS - started)) >"$results/$suite.seconds"
  printf '%s\n' "$status" >"$results/$suite.status"
done
summary "${suites[@]}" "${steps[@]}" --write "$BUILD/test-results/summary.json"
