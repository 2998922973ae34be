"""What is measured: each profiler as a context manager around one unit of work, in the process that runs it.

Switching it on and off around a unit lets profiled and bare units alternate in one process, with one heap and one
layout.
What happens on entering and leaving isn't measured.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import Any, Callable

Profiler = Callable[[], "contextlib.AbstractContextManager[Any]"]


@contextlib.contextmanager
def _sparkmemprof(interval: int) -> Iterator[None]:
    from sparkmemprof.worker import load_hooks

    hooks = load_hooks()
    folder = tempfile.mkdtemp(prefix="sparkmemprof-bench-")
    hooks.start(folder, "bench", "0", interval)
    hooks.open_session()
    hooks.set_task(1, 0, 0, 0, 0)
    try:
        yield
    finally:
        hooks.close_session()
        hooks.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _memray(**options: bool) -> Iterator[None]:
    import memray

    folder = tempfile.mkdtemp(prefix="memray-bench-")
    try:
        with memray.Tracker(os.path.join(folder, "memray.bin"), **options):
            yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


PROFILERS: dict[str, Profiler] = {
    "sparkmemprof": lambda: _sparkmemprof(64 << 10),
    "sparkmemprof, exact": lambda: _sparkmemprof(1),
    "memray": _memray,
    "memray, Python allocators": lambda: _memray(trace_python_allocators=True),
    "memray, native": lambda: _memray(trace_python_allocators=True, native_traces=True),
}
