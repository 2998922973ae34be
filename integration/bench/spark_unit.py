"""The same as unit.py inside a real Spark worker: a driver with one reused Python worker that runs the units.

    python spark_unit.py WORKLOAD bare|PROFILER      a line in, a line out, as unit.py

sparkmemprof comes by conf, as for a user. Each unit is one task. The first sets the workload up in the worker and isn't
measured.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
OWN = {"sparkmemprof": "64k", "sparkmemprof, exact": "1"}


def submit_arguments(profiler: str) -> str:
    arguments = "--master local[1] --conf spark.ui.enabled=false --conf spark.log.level=ERROR"
    if profiler in OWN:
        conf = [os.path.join(os.path.dirname(sys.executable), "sparkmemprof"), "conf"]
        arguments += " " + subprocess.run(conf, capture_output=True, text=True, check=True).stdout.strip()
        arguments += f" --conf spark.memprof.python.interval={OWN[profiler]}"
        arguments += " --conf spark.memprof.report.dir=/tmp/sparkmemprof-bench"
    return arguments + " pyspark-shell"


def task(workload: str, profiler: str | None) -> Any:
    def run(rows: Iterator[int]) -> Iterator[tuple[float, float]]:
        sys.path[:0] = [] if HERE in sys.path else [HERE]
        import workloads
        from profilers import PROFILERS
        from unit import measured

        kept = vars(workloads).setdefault("units", {})
        if workload not in kept:
            kept[workload] = workloads.WORKLOADS[workload]()
        yield measured(kept[workload], PROFILERS[profiler] if profiler else None)

    return run


def main(workload: str, profiler: str) -> None:
    os.environ["PYSPARK_SUBMIT_ARGS"] = submit_arguments(profiler)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    from pyspark import SparkContext

    context = SparkContext(appName="bench")
    inside = None if profiler == "bare" or profiler in OWN else profiler
    one = context.parallelize([0], 1)
    one.mapPartitions(task(workload, inside)).collect()
    print("ready", flush=True)
    for _ in sys.stdin:
        ((cpu, wall),) = one.mapPartitions(task(workload, inside)).collect()
        print("took", cpu, wall, flush=True)
    context.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
