#!/usr/bin/env bash
# Repeats the landing tier with two busy processes beside it: a test that fails by chance shows itself here.
#
#   tests/soak.sh [RUNS]       until RUNS (default 20) runs of this commit are done; those done before count, so it may be
#                              interrupted and go on another day. Closes with `N of RUNS green`; names what failed, and how often.
#                              Fails, too, where one test was played again in two runs
#
# Each run's log and summary.json are kept in build/soak/COMMIT.
set -uo pipefail
usage() { sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
source tools/setup.sh
runs=20
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  "") ;;
  *[!0-9]* | 0*) fail "RUNS is a whole number above 0, not '$1'; see --help" ;;
  *) runs=$1 ;;
esac
[ $# -le 1 ] || fail "one argument at most; see --help"
commit=$(git rev-parse HEAD 2>/dev/null) || fail "tests/soak.sh counts the runs of a commit: run it in a git checkout"
[ -z "$(git status --porcelain)" ] || fail "there are changes that are not committed: what would be tested is no commit"
one_at_a_time "$BUILD/soak-lock" "tests/soak.sh"
kept=$BUILD/soak/$commit
want_room 1 "$kept"
summary=$BUILD/test-results/summary.json

soaked() { # WORD…
  local python=$BUILD/tools/bin/python
  [ -x "$python" ] || python=python3 # before the first set-up
  "$python" tests/soaked.py "$@"
}
why_not() { # SUMMARY RUN: why it doesn't count; nothing where it does
  soaked counts "$1" "$kept/$2.log" "$commit" || echo "tests/soaked.py can't tell"
}

export MEMPROF_TEST_PATIENCE=${MEMPROF_TEST_PATIENCE:-3}
hogs=()
trap 'end_running 90; kill "${hogs[@]}" 2>/dev/null' EXIT
for _ in 1 2; do
  (while kill -0 $$; do :; done) 2>/dev/null &
  hogs+=($!)
done

for ((run = 1; run <= runs; run++)); do
  [ ! -e "$kept/$run.json" ] || [ -n "$(why_not "$kept/$run.json" "$run")" ] || continue
  say "run $run of $runs"
  rm -f "$kept/$run.json" "$summary"
  set -m # a process group of its own, with which it ends when we do
  tests/run.sh >"$kept/$run.log" 2>&1 </dev/null &
  set +m
  RUNNING=$!
  wait "$RUNNING"
  RUNNING=
  why=$(why_not "$summary" "$run")
  [ -z "$why" ] || fail "run $run doesn't count: $why; see $kept/$run.log, which ends: $(tail -n 1 "$kept/$run.log" 2>/dev/null)"
  mv "$summary" "$kept/$run.json" || fail "cannot write to $kept"
  tail -n 1 "$kept/$run.log"
done
soaked total "$kept" "$runs"
