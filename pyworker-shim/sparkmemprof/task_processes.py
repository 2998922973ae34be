"""Processes that a task starts: forks, and new Pythons (children.py: multiprocessing, joblib, subprocess).

Each has a box of its own, with a session of the task that was running when it started. What it does after that task is
charged to nobody: the task's figures are then told.
"""

from __future__ import annotations

import atexit
import os
import sys
from typing import Any, Callable

from sparkmemprof.arrow_pool import ArrowPool, arrow_pool, counters_of_task
from sparkmemprof.children import follow
from sparkmemprof.config import Config
from sparkmemprof.interpreters import load_hooks

# Of a task, with those that its new Pythons start. Each has a box of 2 MiB, which stays until the task has ended.
MOST_PROCESSES = 16

Udf = tuple[str, str, int, str]


class TaskProcesses:
    """What a process tells those that it starts: of a worker, or of a Python that a worker has started."""

    def __init__(self, hooks: Any, config: Config, warn: Callable[..., None], room: int = MOST_PROCESSES) -> None:
        self._hooks = hooks
        self._config = config
        self._warn = warn
        self._room = room
        self._started = 0
        self.task: tuple[int, ...] | None = None
        self.udfs: list[Udf] = []

    def begin(self) -> None:
        """A session was opened, whose task isn't known yet."""
        self.end()
        self._started = 0

    def end(self) -> None:
        self.task = None
        self.udfs = []

    def watch(self) -> None:
        """From now on processes that this process starts are profiled."""
        os.register_at_fork(before=self._has_room_for_another, after_in_child=self._start_in_fork)
        follow(self._settings_of_child)

    def start_hooks(self) -> None:
        config = self._config
        self._hooks.start(config.box_directory, config.application_id, config.executor_id, config.interval_bytes)

    def start(self) -> None:
        """Profiles this process for the task."""
        self.start_hooks()
        if self.task is not None:
            self._hooks.open_session()
            self._hooks.set_task(*self.task)
            for udf in self.udfs:
                self._hooks.add_udf(*udf)

    def _has_room_for_another(self) -> bool:
        self._started += 1
        beyond = self._started - self._room
        if beyond <= 0:
            return True
        try:
            self._hooks.set_counter("unprofiledProcesses", beyond)
        except Exception as error:
            self._warn(error, "a task's profile is incomplete")
        self._warn(f"a task started more than {MOST_PROCESSES}", "some processes are not profiled")
        return False

    def _start_in_fork(self) -> None:
        if self._started > self._room:
            return
        try:
            self.start()
        except Exception as error:
            self._warn(error, "a process of a task is not profiled")

    def _settings_of_child(self) -> dict[str, Any] | None:
        """For a new Python (start_child below); None where it is not to be profiled."""
        if self.task is None or not self._has_room_for_another():
            return None
        config = self._config
        return {
            "boxDirectory": config.box_directory,
            "applicationId": config.application_id,
            "executorId": config.executor_id,
            "intervalBytes": config.interval_bytes,
            "task": self.task,
            "udfs": self.udfs,
            "room": self._room - self._started,
        }


class _Child:
    """A Python that a process of a task has started, from before its first line to after its last."""

    def __init__(self, settings: dict[str, Any]) -> None:
        config = Config(
            application_id=settings["applicationId"],
            executor_id=settings["executorId"],
            box_directory=settings["boxDirectory"],
            interval_bytes=settings["intervalBytes"],
        )
        self._hooks = load_hooks()
        self._processes = TaskProcesses(self._hooks, config, _warn, settings["room"])
        self._processes.task = tuple(settings["task"])
        self._processes.udfs = [tuple(udf) for udf in settings["udfs"]]
        self._arrow_at_start: ArrowPool | None = None

    def start(self) -> None:
        self._processes.start()
        self._arrow_at_start = arrow_pool()
        atexit.register(self._finish)
        self._processes.watch()

    def _finish(self) -> None:
        try:
            for name, value in counters_of_task(self._arrow_at_start, arrow_pool()).items():
                self._hooks.set_counter(name, value)
            self._hooks.close_session()
            self._hooks.stop()
        except Exception as error:
            _warn(error, "a task's profile is incomplete")


def start_child(settings: dict[str, Any]) -> None:
    """Profiles this process, with what _settings_of_child() left for it. Never raises."""
    try:
        _Child(settings).start()
    except Exception as error:
        _warn(error, "a process of a task is not profiled")


def _warn(text: object, what: str) -> None:
    try:
        print(f"sparkmemprof: {what}: {text}", file=sys.stderr, flush=True)
    except Exception:  # the user's code may have closed stderr
        return
