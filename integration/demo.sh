#!/usr/bin/env bash
# Builds everything, runs a real PySpark job on a local cluster of two executor JVMs under sparkmemprof, shows the report and
# holds it against what the job really allocated.
#
#   integration/demo.sh [--spark 3.5|4]
#
# The last line of its output is the absolute path of the HTML report. Exit status 1: the job failed or a figure is off.
# MEMPROF_DEMO_PATIENCE is its spark.memprof.patience, for a very busy machine; 3 by default.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tools/setup.sh"
line=4
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    --spark) line=${2:-}; shift 2 || fail "--spark needs 3.5 or 4" ;;
    --spark=*) line=${1#*=}; shift ;;
    *) fail "unknown argument '$1'; see --help" ;;
  esac
done
case $line in 3.5 | 4) ;; *) fail "unknown Spark line '$line': 3.5 or 4" ;; esac

setup_lock
setup_build
setup_wheel
setup_spark "$line"
setup_unlock

demo=$PROJECT/integration/demo
out=$BUILD/demo/spark-$line
libraries=("$BUILD/$PRESET/demo/libweighted_average.so")
rust=$BUILD/$PRESET/demo/libweighted_average_rust.so
[ ! -e "$rust" ] || libraries+=("$rust")
one_at_a_time "$BUILD/demo/lock-$line" "the demo on Spark $line"
rm -rf "$out"
mkdir -p "$out"
own_environment
export PATH=$SPARK_VENV/bin:$PATH

say "running the job on Spark $line: two executors, 1 GiB of heap each"
cd "$out"
setsid sparkmemprof submit --master 'local-cluster[2,1,1024]' --conf "spark.memprof.report.dir=$out/report" --conf spark.executor.memory=1g \
  --conf spark.ui.enabled=false --conf "spark.memprof.patience=${MEMPROF_DEMO_PATIENCE:-3}" --conf spark.cores.max=2 \
  --conf spark.scheduler.minRegisteredResourcesRatio=1 --conf spark.scheduler.maxRegisteredResourcesWaitingTime=120s \
  "$demo/job.py" "$out/sales.parquet" "${libraries[@]}" 2>spark.log &
job=$! RUNNING=$!
while kill -0 "$job" 2>/dev/null; do
  sleep 0.2
  if [ $((SECONDS - ${shown:-$SECONDS})) -ge 10 ]; then printf '    %3d s\n' "$SECONDS" >&2; fi
  [ $((SECONDS - ${shown:-0})) -lt 10 ] || shown=$SECONDS
done
status=0
wait "$job" || status=$?
RUNNING=
[ "$status" -eq 0 ] || { tail -n 40 spark.log >&2; fail "the job failed; its log: $out/spark.log"; }

reports=("$out"/report/*/report.json)
[ -e "${reports[0]}" ] || { tail -n 40 spark.log >&2; fail "the job left no report under $out/report; its log: $out/spark.log"; }
report=${reports[0]%/*}
sparkmemprof report "$report" --format text
say "the report against the truth"
python "$demo/check.py" "$report/report.json" "${libraries[@]}"
say "$SECONDS s in all"
echo "$report/report.html"
