"""One JVM of a benchmark: runs units of a Spark job, each in an application of its own, profiled or bare as told.

    python jvm_unit.py WORKLOAD PROFILER [ASYNC]   lines in: `bare` or `profiled`; lines out: `took`, CPU and wall
                                                   seconds, and the JVM's resident bytes

The first line out is `ready` and the JDK's version. All applications share one warm JVM, because JVMs differ from one
another by some ten per cent. CPU time is that of the JVM, with its compiler and collector, and of its Python processes.
An application runs its unit once before it is measured. sparkmemprof comes by conf, as for a user; what its agent has
bound or redirected stays so in a bare application, and passes on at once. async-profiler runs meanwhile; ASYNC is its
build folder.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jvm_workloads import WORKLOADS, write_tables

OWN = "sparkmemprof"
ASYNC_EVENTS = {  # at the same interval; nativemem's are bytes of malloc
    "async-profiler, alloc": "event=alloc,alloc=512k",
    "async-profiler, alloc and live": "event=alloc,alloc=512k,live",
    "async-profiler, nativemem": "event=nativemem,nativemem=512k",
}
_ASYNC_LIBRARY, _ASYNC_JAR = "lib/libasyncProfiler.so", "jar/async-profiler.jar"
PROFILERS = (OWN, *ASYNC_EVENTS)
COMMON = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    "spark.sql.shuffle.partitions": "4",
}
HEAP = "1536m"


def add_async_profiler(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--async-profiler", metavar="DIR", help="what `make` in async-profiler's sources has built")


def async_profiler(parser: argparse.ArgumentParser, folder: str | None) -> str:
    """The whole path of that folder; "" where none was given. Ends the program where it lacks a file."""
    if folder is None:
        return ""
    missing = [name for name in (_ASYNC_LIBRARY, _ASYNC_JAR) if not Path(folder, name).exists()]
    if missing:
        parser.error(f"--async-profiler {folder} has no {' and no '.join(missing)}")
    return str(Path(folder).resolve())


def _own_conf() -> dict[str, str]:
    """What `sparkmemprof conf` gives a user."""
    command = [os.path.join(os.path.dirname(sys.executable), "sparkmemprof"), "conf"]
    words = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return dict(word.split("=", 1) for word in words if "=" in word)


def _cpu_seconds(pid: int, alone: bool) -> dict[int, float]:
    """Of the process and, unless `alone`, of each of its descendants."""
    found = {}
    with contextlib.suppress(OSError):  # it has ended
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        found[pid] = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
        for task in () if alone else Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):  # this thread has
                for child in Path(task, "children").read_text(encoding="ascii").split():
                    found |= _cpu_seconds(int(child), alone)
    return found


class Jvm:
    """A JVM, and applications in it. `conf` is for all of them; `async_profiler` is its folder or ""."""

    def __init__(self, conf: dict[str, str], async_profiler: str, more_jars: list[str] | None = None) -> None:
        self._conf = COMMON | conf
        self._own = _own_conf()
        self.folder = Path(tempfile.mkdtemp(prefix="sparkmemprof-bench-"))
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        jars = [self._own.pop("spark.jars"), *(more_jars or [])]
        if async_profiler:
            jars.append(f"{async_profiler}/{_ASYNC_JAR}")
        heap = f"-Xms{HEAP} -XX:+AlwaysPreTouch"  # the heap's share of the resident set is constant
        os.environ["PYSPARK_SUBMIT_ARGS"] = (
            f"--master local[2] --driver-memory {HEAP} --conf spark.jars={shlex.quote(','.join(jars))}"
            f" --driver-java-options '{heap}' pyspark-shell"
        )
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        self._application = ""
        with self.session(profiled=False) as session:
            self._jvm = session.sparkContext._gateway.jvm
        self.pid = int(self._jvm.java.lang.ProcessHandle.current().pid())
        self.java = self._jvm.java.lang.System.getProperty("java.version")
        if async_profiler:
            path = f"{async_profiler}/{_ASYNC_LIBRARY}"
            self._async = self._jvm.one.profiler.AsyncProfiler.getInstance(path)

    @contextlib.contextmanager
    def session(self, profiled: bool) -> Iterator[Any]:
        from pyspark.sql import SparkSession

        own = {**self._own, "spark.memprof.report.dir": str(self.folder)} if profiled else {"spark.plugins": ""}
        builder = SparkSession.builder.appName("bench")
        for key, value in (self._conf | own).items():
            builder = builder.config(key, value)
        session = builder.getOrCreate()
        self._application = session.sparkContext.applicationId
        try:
            yield session
        finally:
            session.stop()

    def report(self) -> Path:
        """Of the last application, which was profiled."""
        path = self.folder / self._application / "report.json"
        if not path.exists():
            raise SystemExit(f"sparkmemprof has written no report into {path.parent}")
        return path

    @contextlib.contextmanager
    def rival(self, profiler: str) -> Iterator[Any]:
        """async-profiler runs meanwhile."""
        self._async.execute(f"start,{ASYNC_EVENTS[profiler]}")
        try:
            yield self._async
        finally:
            self._async.execute("stop")
        if self._async.getSamples() == 0:
            raise SystemExit(f"{profiler} has taken no sample")

    def java_class(self, name: str) -> Any:
        found = self._jvm
        for part in name.split("."):
            found = getattr(found, part)
        return found

    def collect_garbage(self) -> None:
        self._jvm.java.lang.System.gc()

    def measured(self, work: Callable[[], object], alone: bool) -> tuple[float, float]:
        """CPU seconds, of the JVM and, unless `alone`, its Python processes, and wall seconds.

        Nobody keeps the times of a Python worker that has ended, so then the work is done once more.
        """
        for _ in range(5):
            cpu, wall = _cpu_seconds(self.pid, alone), time.perf_counter()
            work()
            wall, after = time.perf_counter() - wall, _cpu_seconds(self.pid, alone)
            if set(cpu) <= set(after):
                return sum(seconds - cpu.get(pid, 0) for pid, seconds in after.items()), wall
        raise SystemExit("Python workers end all the time: their CPU time can't be measured")

    def resident_bytes(self) -> int:
        pages = Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")


def unit_in_an_application(jvm: Jvm, workload: str, profiler: str | None) -> tuple[float, float, int]:
    """CPU seconds, wall seconds, resident bytes. None: bare."""
    measured = WORKLOADS[workload]
    rival = jvm.rival(profiler) if profiler in ASYNC_EVENTS else contextlib.nullcontext()
    with jvm.session(profiler == OWN) as session, rival:
        unit = measured.make(session, str(jvm.folder / "tables"))
        unit()
        jvm.collect_garbage()
        figures = *jvm.measured(unit, measured.of_driver), jvm.resident_bytes()
    if profiler == OWN:
        jvm.report()
    return figures


def main(workload: str, profiler: str, async_profiler: str = "") -> None:
    jvm = Jvm(WORKLOADS[workload].conf or {}, async_profiler)
    with jvm.session(profiled=False) as session:
        write_tables(session, str(jvm.folder / "tables"))
    print("ready", jvm.java, flush=True)
    for line in sys.stdin:
        print(
            "took", *unit_in_an_application(jvm, workload, profiler if line.strip() == "profiled" else None), flush=True
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
