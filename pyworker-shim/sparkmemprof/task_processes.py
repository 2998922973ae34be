"""Processes that a task starts: forks, and new Pythons (children.py: multiprocessing, joblib, subprocess).

Each has a box of its own, with a session of the task that was running when it started. What it does after that task is
charged to nobody: the task's figures are then told.
"""

from __future__ import annotations

import atexit
import functools
import json
import mmap
import os
import sys
from typing import Any, Callable

from sparkmemprof.arrow_pool import ArrowPool, arrow_pool, count_arrow_pool
from sparkmemprof.children import follow, is_fork_server, is_starting
from sparkmemprof.config import Config
from sparkmemprof.interpreters import load_hooks
from sparkmemprof.one_warning import OneWarning

# Of a task. Each has a box of 2 MiB, which stays until the task has ended.
MOST_PROCESSES = 16
# Bytes: of many functions with very long names the last ones are left out. The kernel refuses an environment that is
# too long.
_MOST_SETTINGS = 16 << 10


def _shared_count() -> memoryview:
    """A number, [0], that a process has together with its forks."""
    return memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("I")


class TaskProcesses:
    """What a process tells those that it starts: of a worker, or of a Python that a worker has started."""

    def __init__(self, hooks: Any, config: Config, warn: Callable[..., None], room: int = MOST_PROCESSES) -> None:
        self._hooks = hooks
        self._config = config
        self._warn = warn
        self._room = room
        self._started = _shared_count()
        self._refused = 0  # of this process's own
        self._fork_has_room = False
        self._closes_forks = False
        self.task: tuple[int, ...] | None = None
        self.udfs: list[tuple[str, str, int, str, bool]] = []

    def begin(self) -> None:
        """A task will follow; its own processes are counted from here."""
        self.end()
        self._started = _shared_count()  # of this task alone: its processes keep it, and other workers have their own
        self._refused = 0

    def end(self) -> None:
        self.task = None
        self.udfs = []

    def watch(self) -> None:
        """From now on processes that this process starts are profiled."""
        os.register_at_fork(before=self._count_fork, after_in_child=self._start_in_fork)
        follow(self._settings_of_child)

    def start_hooks(self, *, started_by_task: bool) -> None:
        config = self._config
        place = (config.box_directory, config.application_id, config.executor_id)
        self._hooks.start(*place, config.interval_bytes, started_by_task)

    def start(self) -> None:
        """Profiles this process for the task. Does nothing where its executor has gone."""
        if not os.path.isdir(self._config.box_directory):
            return
        self._quietly(functools.partial(self.start_hooks, started_by_task=True))
        if self.task is not None:
            self._quietly(self._hooks.open_session)
            self._quietly(self._hooks.set_task, *self.task)
            for udf in self.udfs:
                self._quietly(self._hooks.add_udf, *udf)

    def _count(self, processes: int) -> bool:
        """True where there is room for another; it may itself start others."""
        if self._started[0] + processes <= self._room:
            self._started[0] += processes
            return True
        self._refused += 1
        self._quietly(self._hooks.set_counter, "unprofiledProcesses", self._refused)
        if self._room == MOST_PROCESSES:  # not in a new Python, of which there may be many
            self._warn(f"a task started more than {MOST_PROCESSES}", "some processes are not profiled")
        return False

    def _count_fork(self) -> None:
        self._fork_has_room = not is_starting() and self._count(1)
        util = sys.modules.get("multiprocessing.util")
        if util is not None and not self._closes_forks:
            self._closes_forks = True
            self._quietly(util.register_after_fork, self, TaskProcesses._close_at_end)

    def _close_at_end(self) -> None:
        """Of a fork of multiprocessing's, which leaves by os._exit: so that it isn't taken for one that ran on beside
        the next. multiprocessing calls this when the fork begins."""
        if self._fork_has_room:
            last = -1_000  # its own finalizers are above
            sys.modules["multiprocessing.util"].Finalize(None, self._close, exitpriority=last)

    def _close(self) -> None:
        self._quietly(self._hooks.close_session)

    def _start_in_fork(self) -> None:
        self._refused = 0
        if self._fork_has_room:
            self.start()

    def _settings_of_child(self, words: list[str]) -> dict[str, Any] | None:
        """For a new Python (start_child below); None where it is not to be profiled.

        Only multiprocessing's fork server, whose forks do the work, has processes of its own: half of what is left.
        """
        if self.task is None:
            return None
        left = max(0, self._room - self._started[0] - 1)
        room = left - left // 2 if is_fork_server(words) else 0
        config = self._config
        settings = {
            "boxDirectory": config.box_directory,
            "applicationId": config.application_id,
            "executorId": config.executor_id,
            "intervalBytes": config.interval_bytes,
            "task": self.task,
            "udfs": self.udfs,
            "room": room,
        }
        while len(json.dumps(settings)) > _MOST_SETTINGS and settings["udfs"]:
            settings["udfs"] = settings["udfs"][: len(settings["udfs"]) // 2]
        return settings if self._count(1 + room) else None

    def _quietly(self, function: Callable[..., None], *args: Any) -> None:
        try:
            function(*args)
        except Exception as error:
            self._warn(error, "a process of a task is not profiled as a whole")


class _Child:
    """A Python that a process of a task has started, from before its first line to after its last."""

    def __init__(self, settings: dict[str, Any], warn: Callable[..., None]) -> None:
        config = Config(
            application_id=settings["applicationId"],
            executor_id=settings["executorId"],
            box_directory=settings["boxDirectory"],
            interval_bytes=settings["intervalBytes"],
        )
        self._warn = warn
        self._hooks = load_hooks()
        self._processes = TaskProcesses(self._hooks, config, warn, settings["room"])
        self._processes.task = tuple(settings["task"])
        self._processes.udfs = [tuple(udf) for udf in settings["udfs"]]
        self._arrow_at_start: ArrowPool | None = None

    def start(self) -> None:
        self._processes.start()
        self._hooks.note_fatal_signals()
        atexit.register(self._finish)
        self._processes.watch()
        os.register_at_fork(after_in_child=self._start_anew)

    def _start_anew(self) -> None:
        """In a fork: its parent may have filled Arrow's pool."""
        if is_starting():
            return
        try:
            self._arrow_at_start = arrow_pool()
        except Exception as error:
            self._warn(error, "a process of a task is not profiled as a whole")

    def _finish(self) -> None:
        try:
            count_arrow_pool(self._hooks, self._arrow_at_start)
            self._hooks.close_session()
            self._hooks.stop()
        except Exception as error:
            self._warn(error, "a process of a task is not profiled as a whole")


def start_child(settings: dict[str, Any]) -> None:
    """Profiles this process, with what _settings_of_child() left for it. Never raises."""
    warn = OneWarning()
    try:
        _Child(settings, warn).start()
    except Exception as error:
        warn(error, "a process of a task is not profiled")
