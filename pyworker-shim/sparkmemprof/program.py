"""Profiles this process, a plain Python program: one session from before its first line to after its last.

Standard library only: it runs in the user's program, whatever that has installed.
"""

from __future__ import annotations

import atexit
import os
import re
from typing import Any

from sparkmemprof.arrow_pool import ArrowPool, arrow_pool, count_arrow_pool
from sparkmemprof.children import LAST_REPORT, follow, is_starting
from sparkmemprof.interpreters import load_hooks
from sparkmemprof.jvm_end import leave_status
from sparkmemprof.standard_error import say

# Each process has a box of 2 MiB, which stays until the report is made.
_MOST_PROCESSES = 64


class _Program:
    def __init__(self, hooks: Any, settings: dict[str, Any]) -> None:
        self._hooks = hooks
        self._settings = settings
        self._arrow_at_start: ArrowPool | None = None

    def has_room(self) -> bool:
        """False when there are boxes for as many processes as a report takes, or when no boxes will be read any
        more."""
        try:
            return len(os.listdir(self._settings["boxDirectory"])) < _MOST_PROCESSES
        except OSError:
            return False

    def start(self) -> None:
        settings = self._settings
        self._hooks.start(settings["boxDirectory"], settings["applicationId"], "driver", settings["intervalBytes"])
        self._hooks.open_session()
        self._hooks.set_task(os.getpid(), 0, 0, 0, 0)
        self._arrow_at_start = arrow_pool()  # a forked child's parent may have filled it

    def start_in_child(self) -> None:
        try:
            if not is_starting() and self.has_room():
                self.start()
        except Exception as error:
            say(f"a forked process is not profiled: {error}")

    def finish(self) -> None:
        """Runs after the program's own exit handlers, because those were registered later."""
        try:
            with open("/proc/self/status", encoding="ascii", errors="replace") as file:
                peak = re.search(r"^VmHWM:\s+(\d+) kB", file.read(), re.MULTILINE)
            if peak is not None:
                self._hooks.set_counter("peakRssBytes", 1024 * int(peak.group(1)))
            count_arrow_pool(self._hooks, self._arrow_at_start)
            self._hooks.close_session()
            self._hooks.stop()
        except Exception as error:
            say(f"the program's profile is incomplete: {error}")


def start(settings: dict[str, Any]) -> None:
    """Starts profiling. `settings`: boxDirectory, applicationId, intervalBytes; reportPlaces: where the JVM of this
    process's Spark application says where its report is, and this process how that JVM ended. Never raises."""
    is_child = settings.get("isChild", False)
    try:
        program = _Program(load_hooks(), settings)
        if is_child and not program.has_room():
            return
        program.start()
        places = None if is_child else settings.get("reportPlaces")
        owner = os.getpid()
        if places is not None:
            atexit.register(lambda: os.getpid() == owner and leave_status(places))  # runs after what follows
        atexit.register(program.finish)
        os.register_at_fork(after_in_child=program.start_in_child)
        follow(
            lambda _words: settings, lambda words: _entries_of_spark(words, places if os.getpid() == owner else None)
        )
    except Exception as error:
        say(
            f"the program is not profiled: {error}"
            if not is_child
            else f"a process of the program is not profiled: {error}"
        )


def _entries_of_spark(words: list[str], report_places: str | None) -> dict[str, str] | None:
    """For the JVM that PySpark starts by spark-submit. An application that is submitted has another driver."""
    is_ours = words and os.path.basename(words[0]) == "spark-submit" and "pyspark-shell" in words
    if not is_ours or report_places is None:
        return None
    return {LAST_REPORT: report_places}
