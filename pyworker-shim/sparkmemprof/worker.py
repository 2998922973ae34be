"""Profiles pyspark's Python workers: one black box per process, one session per task.

pyspark's daemon forks a worker and there, once per task, calls ``main()`` of pyspark.worker. Hooks are installed only
in the worker: the daemon itself must stay free of threads and of anything that a fork doesn't copy. A task's session is
open while ``main()`` runs, and is closed before the daemon flushes the end of the stream: when Spark sees the task end,
its figures are in the box.

A failure here is reported once, in one line on stderr for a daemon and all its workers, and leaves pyspark unchanged.
"""

from __future__ import annotations

import functools
import inspect
import mmap
import sys
from types import CodeType, ModuleType
from typing import Any, Callable

from sparkmemprof import refusal
from sparkmemprof.arrow_pool import ArrowPool, arrow_pool, choose_arrow_pool, count_arrow_pool
from sparkmemprof.config import Config, read_config
from sparkmemprof.interpreters import load_hooks
from sparkmemprof.one_warning import OneWarning
from sparkmemprof.task_processes import TaskProcesses
from sparkmemprof.udfs import UserFunction, kind_of_command, user_functions

_WORKER_MODULE = "pyspark.worker"
_MOST_NAMES_OF_A_CODE = 2
_ENTRY_MODULE = "pyspark.worker_under_sparkmemprof"
_NOT_PROFILED = "Python workers are not profiled"


def profile_workers_of(daemon: ModuleType) -> None:
    """Makes the workers that `daemon` (pyspark.daemon) will fork profile themselves. Never raises."""
    warn = OneWarning()
    config = None
    try:
        config = read_config()
        WorkerProfiler(load_hooks(), config, warn).take_the_place_of_main(daemon)
    except Exception as error:
        warn(error, _NOT_PROFILED)
        if config is not None:
            refusal.leave(config, str(error))


class WorkerProfiler:
    """Profiles the tasks of one worker process. Made in the daemon, started in the worker."""

    def __init__(self, hooks: Any, config: Config, warn: Callable[..., None]) -> None:
        self._hooks = hooks
        self._config = config
        self._warn = warn
        self._daemon: ModuleType | None = None
        self._arguments: list[str] | None = None
        self._eval_type: int | None = None
        self._eval_type_names: dict[int, str] = {}
        self._processes = TaskProcesses(hooks, config, warn)
        self._dropped_udfs: set[tuple[str, str, int, str, bool]] = set()
        self._codes: dict[int, tuple[CodeType, list[str]]] = {}  # by id; they stay alive while they have names
        self._arrow_at_open: ArrowPool | None = None
        self._is_first_task = True

    def take_the_place_of_main(self, daemon: ModuleType) -> None:
        """Makes the daemon's workers call _main() instead of pyspark.worker's main(), the first time.

        The daemon's functions are not wrapped: their exceptions are printed, and our frames would be in the tracebacks.
        """
        self._daemon = daemon
        if hasattr(daemon, "worker_main"):  # Spark 3.5 and 4.0 import the worker before they fork
            if daemon.worker_main is getattr(sys.modules.get(_WORKER_MODULE), "main", None):
                daemon.worker_main = self._main
            return
        # Later ones import it in the worker, by the name that the JVM gives as the daemon's first argument.
        self._arguments = sys.argv[1:2]
        name = self._arguments[0] if self._arguments else ""
        if name.startswith("pyspark") and name != _WORKER_MODULE:
            return  # a daemon that runs no tasks, for example for data sources
        entry = ModuleType(_ENTRY_MODULE)
        entry.main = self._main
        sys.modules[_ENTRY_MODULE] = entry
        sys.argv[1:2] = [_ENTRY_MODULE]

    def _main(self, *args: Any, **kwargs: Any) -> Any:
        """A worker's first task: starts profiling here, restores the original, and continues with pyspark.worker's
        main()."""
        if self._arguments is not None:
            sys.argv[1:2] = self._arguments
        started = self._start_worker()  # before the import, because its memory is part of what a worker holds
        from pyspark import worker

        try:
            if started:
                self._wrap(worker)
                self._processes.watch()
        except Exception as error:
            self._warn(error, _NOT_PROFILED)
        if hasattr(self._daemon, "worker_main"):
            self._daemon.worker_main = worker.main
        return worker.main(*args, **kwargs)

    def _start_worker(self) -> bool:
        try:
            choose_arrow_pool(self._config.arrow_pool)
            self._processes.start_hooks(started_by_task=False)
            self._hooks.note_fatal_signals()
        except Exception as error:
            self._warn(error, _NOT_PROFILED)
            return False
        return True

    def _wrap(self, worker: ModuleType) -> None:
        """Puts wrappers around what pyspark.worker does for each task; it looks its functions up by name."""
        names = vars(worker.PythonEvalType).items()
        self._eval_type_names = {value: name for name, value in names if name.startswith("SQL_")}
        worker.main = self._around_main(worker.main)
        worker.read_udfs = self._around_read_udfs(worker.read_udfs)
        worker.read_udtf = self._around_read_udfs(worker.read_udtf)
        worker.read_command = self._around_read_command(worker.read_command)

    def _around_main(self, main: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(main)
        def profiled_main(*args: Any, **kwargs: Any) -> Any:
            self._quietly(self._open_session)
            try:
                return main(*args, **kwargs)
            finally:
                self._quietly(self._close_session)

        return profiled_main

    def _around_read_udfs(self, read: Callable[..., Any]) -> Callable[..., Any]:
        """read_udfs and read_udtf: (serializer, what to read from, eval type, ...) in every version."""

        @functools.wraps(read)
        def profiled_read(*args: Any, **kwargs: Any) -> Any:
            self._eval_type = kwargs.get("eval_type", args[2] if len(args) > 2 else None)
            return read(*args, **kwargs)

        return profiled_read

    def _around_read_command(self, read: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(read)
        def profiled_read(*args: Any, **kwargs: Any) -> Any:
            self._quietly(self._set_task)  # first, because unpickling may kill the worker
            command = read(*args, **kwargs)
            self._quietly(self._measure_baseline)
            self._quietly(self._add_udfs, command)
            return command

        return profiled_read

    def _open_session(self) -> None:
        self._processes.begin()
        self._dropped_udfs = set()
        self._eval_type = None
        self._arrow_at_open = None
        self._hooks.open_session()
        self._arrow_at_open = arrow_pool()

    def _close_session(self) -> None:
        self._quietly(count_arrow_pool, self._hooks, self._arrow_at_open)
        self._quietly(self._processes.end)
        self._hooks.close_session()
        self._codes = {}

    def _measure_baseline(self) -> None:
        """Records what the worker holds before its first task's code runs. Unpickling the task has imported what that
        code needs."""
        if not self._is_first_task:
            return
        self._is_first_task = False
        with open("/proc/self/statm", "rb") as file:
            self._hooks.set_counter("firstTaskRssBytes", int(file.read().split()[1]) * mmap.PAGESIZE)

    def _set_task(self) -> None:
        from pyspark import TaskContext

        context = TaskContext.get()
        if self._processes.task is None and context is not None and context.taskAttemptId() is not None:
            self._processes.task = (
                context.taskAttemptId(),
                context.stageId(),
                -1,  # the stage's attempt isn't known to Python workers
                context.partitionId(),
                context.attemptNumber(),
            )
            self._hooks.set_task(*self._processes.task)

    def _add_udfs(self, command: Any) -> None:
        kind = kind_of_command(command) or self._kind()
        for function in user_functions(command):
            self._name_code(function)
            is_generator = bool(function.code.co_flags & inspect.CO_GENERATOR)
            udf = (function.name, function.file, function.line, kind, is_generator)
            if udf in self._processes.udfs:
                continue
            if self._hooks.add_udf(*udf):
                self._processes.udfs.append(udf)
            else:
                self._dropped_udfs.add(udf)
                self._hooks.set_counter("droppedUdfs", len(self._dropped_udfs))

    def _name_code(self, function: UserFunction) -> None:
        """Functions of one factory have one code name. Unpickled by themselves, each has a code object of its own, by
        which stacks can show its name; those of one command may share it."""
        _, names = self._codes.setdefault(id(function.code), (function.code, []))
        if function.given_name not in names:
            names.append(function.given_name)
        if function.may_be_named and (len(names) > 1 or function.given_name != function.code.co_name):
            shown = names if len(names) <= _MOST_NAMES_OF_A_CODE else [*names[:_MOST_NAMES_OF_A_CODE], "…"]
            self._hooks.name_code(function.code, ", ".join(shown))

    def _kind(self) -> str:
        """PythonEvalType's name without its prefix, e.g. MAP_PANDAS_ITER_UDF; RDD for functions of RDDs."""
        if self._eval_type is None:
            return "RDD"
        return self._eval_type_names.get(self._eval_type, str(self._eval_type)).replace("SQL_", "", 1)

    def _quietly(self, function: Callable[..., None], *args: Any) -> None:
        try:
            function(*args)
        except Exception as error:
            self._warn(error, "a task's profile is incomplete")
