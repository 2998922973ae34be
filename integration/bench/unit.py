"""One process of a benchmark: runs units of a workload, profiled or bare as told on stdin, and prints their seconds.

    python unit.py WORKLOAD PROFILER      lines in: `bare` or `profiled`; lines out: `took`, CPU and wall seconds
    python unit.py --start PROFILER|bare  prints CPU and wall seconds of switching the profiler on, and resident and
                                          virtual bytes after two units of object-heavy work

CPU time is the process's, all threads.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import time

from profilers import PROFILERS, Profiler
from workloads import WORKLOADS, Unit


def measured(unit: Unit, profiler: Profiler | None) -> tuple[float, float]:
    gc.collect()
    with profiler(unit) if profiler else contextlib.nullcontext(unit) as run:
        run()  # what is new is named, tables are touched: a worker does that once and then serves many tasks
        gc.collect()
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        return time.process_time() - cpu, time.perf_counter() - wall


def serve(workload: str, profiler: str) -> None:
    unit = WORKLOADS[workload]()
    unit()
    for line in sys.stdin:
        cpu, wall = measured(unit, PROFILERS[profiler] if line.strip() == "profiled" else None)
        print("took", cpu, wall, flush=True)


def memory() -> tuple[int, int]:
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = file.read().split()
    size = os.sysconf("SC_PAGE_SIZE")
    return int(pages[1]) * size, int(pages[0]) * size


def start(profiler: str) -> None:
    import sparkmemprof.worker  # noqa: F401 -- pyspark's daemon has it before it forks a worker

    unit = WORKLOADS["objects"]()
    wall, cpu = time.perf_counter(), time.process_time()
    with PROFILERS[profiler](unit) if profiler != "bare" else contextlib.nullcontext(unit) as run:
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        run()
        run()
        gc.collect()
        print(cpu, wall, *memory())


if __name__ == "__main__":
    if sys.argv[1] == "--start":
        start(sys.argv[2])
    else:
        serve(*sys.argv[1:])
