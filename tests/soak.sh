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
mkdir -p "$kept"

export MEMPROF_TEST_PATIENCE=${MEMPROF_TEST_PATIENCE:-3}
hogs=()
trap 'end_running 90; kill "${hogs[@]}" 2>/dev/null' EXIT
for _ in 1 2; do
  (while kill -0 $$; do :; done) 2>/dev/null &
  hogs+=($!)
done

for ((run = 1; run <= runs; run++)); do
  [ ! -e "$kept/$run.json" ] || continue
  say "run $run of $runs"
  rm -f "$BUILD/test-results/summary.json"
  set -m # a process group of its own, with which it ends when we do
  tests/run.sh >"$kept/$run.log" 2>&1 </dev/null &
  set +m
  RUNNING=$!
  wait "$RUNNING"
  RUNNING=
  tail -n 1 "$kept/$run.log"
  # Without one it was cut off or could not start: it doesn't count.
  [ -e "$BUILD/test-results/summary.json" ] || fail "run $run left no summary: see $kept/$run.log"
  grep -q "\"commit\": \"$commit\"" "$BUILD/test-results/summary.json" && grep -q '"dirty": false' "$BUILD/test-results/summary.json" ||
    fail "the checkout was changed: run $run was not of commit $commit"
  mv "$BUILD/test-results/summary.json" "$kept/$run.json"
done
"$BUILD/tools/bin/python" - "$runs" "$kept" <<'END'
import collections, json, pathlib, re, sys

runs, kept = int(sys.argv[1]), pathlib.Path(sys.argv[2])
green, failures, flaky = 0, collections.Counter(), collections.Counter()
for run in range(1, runs + 1):
    summary = json.loads((kept / f"{run}.json").read_text())
    green += summary["failed"] == 0
    flaky.update(summary["flaky"])
    failures.update(re.findall(r"^FAILED  (\S+?: .*?)(?:: |$)", (kept / f"{run}.log").read_text(errors="replace"), re.MULTILINE))
for name, times in failures.most_common():
    print(f"{times:4} times red: {name}")
for name, times in flaky.most_common():
    print(f"{times:4} times flaky: {name}")
print(f"{green} of {runs} green")
sys.exit(green < runs or any(times > 1 for times in flaky.values()))
END
