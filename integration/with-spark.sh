#!/usr/bin/env bash
# Runs a command with a Spark line's PySpark, its Python and the freshly built sparkmemprof on PATH.
#
#   integration/with-spark.sh 3.5|4 COMMAND…
#
#   integration/with-spark.sh 4 sparkmemprof submit --conf spark.memprof.report.dir=out job.py
#   integration/with-spark.sh 3.5 python -c 'import pyspark; print(pyspark.__version__)'
#
# Sets up what is missing first (build, venv in build/venvs/spark-LINE). Writes nothing of its own to stdout; keeps the
# working directory, the environment and the command's exit status.
case ${1:-} in
  -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
  3.5 | 4) ;;
  *) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
[ $# -ge 2 ] || { echo "error: no command given; see --help" >&2; exit 2; }
line=$1
shift
# The set-up has its own shell, whatever its options or failures; only its exit status matters here. (Not `|| exit`: the
# shell would go on after a failure, then.)
venv=$(
  set -euo pipefail
  source "$(dirname "${BASH_SOURCE[0]}")/../tools/setup.sh"
  setup_lock
  { setup_build; setup_wheel; setup_spark "$line"; } >&2
  echo "$SPARK_VENV"
)
status=$?
[ "$status" -eq 0 ] || exit "$status"
# A SPARK_HOME from elsewhere would win over the venv's PySpark.
unset SPARK_HOME
PATH=$venv/bin:$PATH exec "$@"
