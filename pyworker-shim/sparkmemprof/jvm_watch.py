"""The driver's JVM, watched by the Python process that started it: a notebook, a shell, ``python job.py``.

A JVM that is killed can't report its own death. Where spark-submit starts the Python process, ``sparkmemprof submit``
does it for both of them.
"""

from __future__ import annotations

import atexit
import os
import pathlib
import sys
import threading
import time
from typing import Any

from .cli.driver_watch import DriverWatch
from .cli.report_files import jvms_of_driver, local_directory

_MOST_WAIT_SECONDS = 2  # the connection is lost a moment before the process is gone
_POLL_SECONDS = 0.05


class JvmWatch:
    """Watches until this process ends. Thread-safe; nothing raises."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._notes: dict[int, str] = {}  # by pid of a JVM that has ended
        self._awaited: set[int] = set()
        self._watch = self._begin()
        atexit.register(self._end)

    def _begin(self) -> Any:
        watch = DriverWatch("driver", 0, with_python=False, started_by="the driver's Python process").__enter__()
        os.environ.update(watch.environment({}))
        return watch

    def note(self, lost: bool) -> str:
        """If this process's JVM was killed: its post-mortem's headline and place, "" otherwise. `lost`: it ends, or has
        ended. The first call prints the post-mortem."""
        process = _jvm()
        if process is None or os.getpid() != self._owner:
            return ""
        with self._lock:
            if process.pid not in self._notes:
                status = self._wait(process) if lost else process.poll()
                if status is None:
                    return ""
                self._notes[process.pid] = self._tell(process.pid, status)
            return self._notes[process.pid]

    def _wait(self, process: Any) -> int | None:
        """Once for each JVM: the connection to one that lives may fail again and again."""
        end = time.monotonic() + (0 if process.pid in self._awaited else _MOST_WAIT_SECONDS)
        self._awaited.add(process.pid)
        while process.poll() is None and time.monotonic() < end:
            time.sleep(_POLL_SECONDS)
        return process.poll()

    def _tell(self, pid: int, status: int) -> str:
        watch = self._watch
        written = watch.finish(pid, status, _report_of(pid, watch.place_of_report()), _default_directory())
        self._watch = self._begin()  # for the next one
        watch.__exit__()
        if not watch.headlines:
            return ""
        place = "above" if written is None else os.path.dirname(written)
        return f"sparkmemprof: {watch.headlines[0]}\nIts post-mortem: {place}"

    def _end(self) -> None:
        self.note(False)
        if os.getpid() == self._owner:
            self._watch.__exit__()


def _jvm() -> Any:
    """The process of this program's JVM, if this program has started one."""
    context: Any = getattr(sys.modules.get("pyspark"), "SparkContext", None)
    return getattr(getattr(context, "_gateway", None), "proc", None)


def _report_of(pid: int, place: str | None) -> pathlib.Path | None:
    """The report.json there, if it is that of the JVM: a child of this process may have told of its own."""
    local = None if place is None else local_directory(place)
    if local is None:
        return None
    report = pathlib.Path(local, "report.json")
    pids = jvms_of_driver(report)
    return report if report.exists() and (not pids or pid in pids) else None


def _default_directory() -> str:
    return os.path.abspath("sparkmemprof-report")
