"""What is measured: each profiler as a context manager around one unit of work, in the process that runs it.

It gives the function to run: the unit itself, or what a profiler that wraps functions makes of it. Switching it on and
off around a unit lets profiled and bare units alternate in one process, with one heap and one layout. What happens on
entering and leaving isn't measured.

Some profile a whole process from its start: their bare units run in a process of their own.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import Callable

from workloads import Unit

Profiler = Callable[[Unit], "contextlib.AbstractContextManager[Unit]"]


@contextlib.contextmanager
def _sparkmemprof(unit: Unit, interval: int) -> Iterator[Unit]:
    from sparkmemprof.interpreters import load_hooks

    hooks = load_hooks()
    folder = tempfile.mkdtemp(prefix="sparkmemprof-bench-")
    hooks.start(folder, "bench", "0", interval)
    hooks.open_session()
    hooks.set_task(1, 0, 0, 0, 0)
    try:
        yield unit
    finally:
        hooks.close_session()
        hooks.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _memray(unit: Unit, **options: bool) -> Iterator[Unit]:
    import memray

    folder = tempfile.mkdtemp(prefix="memray-bench-")
    try:
        with memray.Tracker(os.path.join(folder, "memray.bin"), **options):
            yield unit
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _pyspark(unit: Unit) -> Iterator[Unit]:
    """What spark.sql.pyspark.udf.profiler=memory does to a UDF."""
    from pyspark.memory_profiler_ext import UDFLineProfilerV2

    yield UDFLineProfilerV2()(unit)


PROFILERS: dict[str, Profiler] = {
    "sparkmemprof": lambda unit: _sparkmemprof(unit, 64 << 10),
    "sparkmemprof, exact": lambda unit: _sparkmemprof(unit, 1),
    "memray": _memray,
    "memray, Python allocators": lambda unit: _memray(unit, trace_python_allocators=True),
    "memray, native": lambda unit: _memray(unit, trace_python_allocators=True, native_traces=True),
    "PySpark's memory profiler": _pyspark,
    "Scalene": contextlib.nullcontext,
    "Fil": contextlib.nullcontext,
}

# Those that profile a whole process: the words between `python` and its script. {folder}: what they write may go there.
WHOLE_PROCESS: dict[str, tuple[str, ...]] = {
    "Scalene": ("-m", "scalene", "run", "--memory", "--outfile", "{folder}/scalene.json"),
    "Fil": ("-m", "filprofiler", "--no-browser", "-o", "{folder}/fil", "run"),
}
