"""One JVM of a benchmark: runs units of a Spark job, each in an application of its own, profiled or bare as told.

    python jvm_unit.py WORKLOAD PROFILER [--heap MIB]   lines in: `bare` or `profiled`; lines out: CPU and wall seconds,
                                                        and the JVM's resident bytes

The first line out is `ready`. All applications share one warm JVM, because JVMs differ from one another by some ten
per cent. CPU time is that of the JVM, with its compiler and collector, and of all its Python processes. An application
runs its unit once before it is measured. sparkmemprof comes by conf, as for a user; what its agent has bound
or redirected stays so in a bare application, and passes on at once. async-profiler runs meanwhile; its library and jar
are named by MEMPROF_ASYNC_PROFILER.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from jvm_workloads import WORKLOADS, write_tables

OWN = "sparkmemprof"
ASYNC_EVENTS = {  # at the same interval; nativemem's are bytes of malloc
    "async-profiler, alloc": "event=alloc,alloc=512k",
    "async-profiler, alloc and live": "event=alloc,alloc=512k,live",
    "async-profiler, nativemem": "event=nativemem,nativemem=512k",
}
PROFILERS = (OWN, *ASYNC_EVENTS)
COMMON = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "4",
}
UNITS = 2  # measured in each application


def jar_conf() -> dict[str, str]:
    """What `sparkmemprof conf` gives a user."""
    command = [os.path.join(os.path.dirname(sys.executable), "sparkmemprof"), "conf"]
    words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return dict(word.split("=", 1) for word in words if "=" in word)


def descendants(pid: int) -> Iterator[int]:
    yield pid
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                children = file.read().split()
        except OSError:
            continue
        for child in children:
            yield from descendants(int(child))


def cpu_seconds(pid: int) -> float:
    """Of the process and its descendants, with those of theirs that ended."""
    ticks = 0
    for each in descendants(pid):
        with open(f"/proc/{each}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid: int) -> int:
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Jvm:
    def __init__(self, workload: str, profiler: str, heap_mib: int) -> None:
        self._conf, self._make = WORKLOADS[workload]
        self._profiler = profiler
        self._own = jar_conf()
        self._folder = tempfile.mkdtemp(prefix="sparkmemprof-bench-")
        jars = self._own.pop("spark.jars")
        library = os.environ.get("MEMPROF_ASYNC_PROFILER", "")
        if profiler in ASYNC_EVENTS:
            jars += f",{library}/jar/async-profiler.jar"
        heap = f"-Xms{heap_mib}m -XX:+AlwaysPreTouch"  # the heap's share of the resident set is constant
        arguments = f"--master local[2] --driver-memory {heap_mib}m --conf spark.jars={jars}"
        os.environ["PYSPARK_SUBMIT_ARGS"] = f"{arguments} --driver-java-options '{heap}' pyspark-shell"
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        session = self._session({})
        self._gateway = session.sparkContext._gateway
        self.pid = int(self._gateway.jvm.java.lang.ProcessHandle.current().pid())
        self.java = self._gateway.jvm.java.lang.System.getProperty("java.version")
        if profiler in ASYNC_EVENTS:
            path = f"{library}/lib/libasyncProfiler.so"
            self._async = self._gateway.jvm.one.profiler.AsyncProfiler.getInstance(path)
        write_tables(session, self._folder + "/tables")
        session.stop()

    def _session(self, conf: dict[str, str]) -> Any:
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.appName("bench")
        for key, value in {**COMMON, **self._conf, **conf}.items():
            builder = builder.config(key, value)
        return builder.getOrCreate()

    def run(self, profiled: bool) -> tuple[float, float, int]:
        own = profiled and self._profiler == OWN
        session = self._session(
            {**self._own, "spark.memprof.report.dir": self._folder} if own else {"spark.plugins": ""}
        )
        rival = ASYNC_EVENTS.get(self._profiler) if profiled else None
        if rival:
            self._async.execute(f"start,{rival}")
        try:
            unit = self._make(session, self._folder + "/tables")
            unit()
            self._gateway.jvm.java.lang.System.gc()
            cpu, wall = cpu_seconds(self.pid), time.perf_counter()
            for _ in range(UNITS):
                unit()
            return cpu_seconds(self.pid) - cpu, time.perf_counter() - wall, resident_bytes(self.pid)
        finally:
            if rival:
                self._async.execute("stop")
                self._check(self._async.getSamples() > 0)
            application = session.sparkContext.applicationId
            session.stop()
            if own:
                self._check(os.path.exists(f"{self._folder}/{application}/report.json"))

    def _check(self, profiled: bool) -> None:
        if not profiled:
            raise SystemExit(f"{self._profiler} has recorded nothing")


def main() -> None:
    parser = argparse.ArgumentParser(prog="jvm_unit.py", description=__doc__)
    parser.add_argument("workload", choices=WORKLOADS)
    parser.add_argument("profiler", choices=PROFILERS)
    parser.add_argument("--heap", type=int, default=1536)
    options = parser.parse_args()
    jvm = Jvm(options.workload, options.profiler, options.heap)
    print("ready", jvm.java, flush=True)
    for line in sys.stdin:
        print(*jvm.run(line.strip() == "profiled"), flush=True)


if __name__ == "__main__":
    main()
