"""Follows new processes that a profiled one starts: subprocess, multiprocessing's spawn and forkserver, joblib
(since 1.6; before, it forked and replaced itself).

All of them use ``_posixsubprocess.fork_exec`` or, for a simple start (most of subprocess since Python 3.13),
``os.posix_spawn``. If the started file is the same interpreter, the child's environment gets settings, as the first
process's does from ``sparkmemprof run``. The child restores it before its first line (startup/sitecustomize.py). The
program's own environment is never changed. Processes that are started in other ways, or are another Python, are not
followed.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Mapping
from typing import Any, Callable

STARTUP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "startup")
SETTINGS = "SPARKMEMPROF_PROGRAM"
# Where a driver's JVM says in which directory its report is (ReportPlace.java), and leaves the report itself if it
# exits because of a full heap: <pid>.report.json (last_report.h).
LAST_REPORT = "SPARKMEMPROF_LAST_REPORT"
# Set where a killed Python of the driver is told of by who has started it: the agent of the driver's JVM then doesn't.
PYTHON_IS_WATCHED = "SPARKMEMPROF_PYTHON_IS_WATCHED"

# With one of these options, Python does not run our sitecustomize, or ignores PYTHONPATH.
_CLOSED_TO_US = frozenset("EIS")
_WITH_A_WORD = ("-W", "-X", "--check-hash-based-pycs")
# multiprocessing's and joblib's tracker of names of shared memory. It runs no code of the user.
_BOOKKEEPER = re.compile(r"from [\w.]+\.resource_tracker import")

_FORK_SERVER = re.compile(r"(import sys; )?from multiprocessing\.forkserver import")  # "import sys" since gh-144503
_here = threading.local()  # starting: this thread is about to execute another program

# What a child is to be profiled with, asked with its words when it is started; None: not at all.
SettingsOfChild = Callable[["list[str]"], "dict[str, Any] | None"]
# Entries that join the environment of a child that is another program; None: no entries.
EntriesOfChild = Callable[["list[str]"], "dict[str, str] | None"]


def environment_with(settings: dict[str, Any], environment: Mapping[str, str]) -> dict[str, str]:
    """The same environment, in which a Python that starts is profiled with `settings`."""
    path = [STARTUP, *filter(None, [environment.get("PYTHONPATH")])]
    return {**environment, "PYTHONPATH": os.pathsep.join(path), SETTINGS: json.dumps(settings)}


def follow(settings: SettingsOfChild, entries: EntriesOfChild = lambda _words: None) -> None:
    """From now on new Python processes that this process starts are profiled (program.py, task_processes.py)."""
    import _posixsubprocess

    ours = os.path.realpath(sys.executable)

    def environment_for(path: str, words: Any, environment: Any) -> list[bytes] | None:
        words = [os.fsdecode(word) for word in words]
        if os.path.realpath(path) == ours:
            return _environment_for(words, environment, settings)
        added = entries(words)
        if added is None:
            return None
        replaced = tuple(os.fsencode(name) + b"=" for name in added)
        return [entry for entry in _entries_of(environment) if not entry.startswith(replaced)] + _listed(added)

    original = _posixsubprocess.fork_exec
    _posixsubprocess.fork_exec = _around_fork_exec(original, environment_for)
    subprocess = sys.modules.get("subprocess")  # from Python 3.11 on it has the function's name of its own, once loaded
    if getattr(subprocess, "_fork_exec", None) is original:
        subprocess._fork_exec = _posixsubprocess.fork_exec
    os.posix_spawn = _around_posix_spawn(os.posix_spawn, environment_for)


def is_starting() -> bool:
    """In hooks of a fork: whether another program takes its place (subprocess with a preexec_fn)."""
    return getattr(_here, "starting", False)


def is_fork_server(words: list[str]) -> bool:
    """Whether these are the words of multiprocessing's fork server."""
    return any(_FORK_SERVER.match(word) for word in words)


# The child's environment by its file, words and environment, as "name=value" texts; None: it stays as it is.
_EnvironmentFor = Callable[[str, Any, Any], "list[bytes] | None"]


def _around_fork_exec(fork_exec: Callable[..., int], environment_for: _EnvironmentFor) -> Callable[..., int]:
    def profiled_fork_exec(*arguments: Any) -> int:
        try:
            words, executables, environment = arguments[0], arguments[1], arguments[5]
            given = environment_for(_first_that_is_there(executables), words, environment)
            arguments = arguments if given is None else (*arguments[:5], given, *arguments[6:])
        except Exception:  # an unknown signature: the child runs without the profiler
            pass
        _here.starting = True
        try:
            return fork_exec(*arguments)
        finally:
            _here.starting = False

    return profiled_fork_exec


def _around_posix_spawn(posix_spawn: Callable[..., int], environment_for: _EnvironmentFor) -> Callable[..., int]:
    def profiled_posix_spawn(*arguments: Any, **options: Any) -> int:
        try:
            path, words, environment = arguments
            given = environment_for(os.fsdecode(path), words, None if environment is None else _listed(environment))
            arguments = arguments if given is None else (path, words, _mapped(given))
        except Exception:  # a mistake of the program: it gets the error from the call below
            pass
        return posix_spawn(*arguments, **options)

    return profiled_posix_spawn


def _entries_of(environment: Any) -> list[bytes]:
    """None: ours."""
    return _listed(os.environb) if environment is None else list(environment)


def _listed(environment: Any) -> list[bytes]:
    return [os.fsencode(name) + b"=" + os.fsencode(value) for name, value in environment.items()]


def _mapped(environment: list[bytes]) -> dict[bytes, bytes]:
    return {name: value for name, _, value in (entry.partition(b"=") for entry in environment)}


def _first_that_is_there(executables: Any) -> str:
    return next((path for path in map(os.fsdecode, executables) if os.access(path, os.X_OK)), "")


def _lets_us_in(words: list[str]) -> bool:
    """Whether Python, started with these arguments (the first is its name), runs our sitecustomize."""
    options = iter(words[1:])
    for option in options:
        if option in _WITH_A_WORD:
            next(options, None)
        elif option == "-c":
            return _BOOKKEEPER.match(next(options, "")) is None
        elif option.startswith("--") or option[:2] in _WITH_A_WORD:
            continue
        elif not option.startswith("-") or option == "-":
            return True
        elif _CLOSED_TO_US & set(option[1:].partition("m")[0].partition("c")[0]):
            return False
        elif "m" in option or "c" in option:
            return True
    return True


def _environment_for(words: list[str], environment: Any, settings_of: SettingsOfChild) -> list[bytes] | None:
    """For a Python of ours, with our settings."""
    settings = settings_of(words) if _lets_us_in(words) else None
    if settings is None:
        return None
    given = _entries_of(environment)
    path = next((entry[11:] for entry in given if entry.startswith(b"PYTHONPATH=")), None)
    kept = [entry for entry in given if not entry.startswith((b"PYTHONPATH=", SETTINGS.encode() + b"="))]
    # To Python an empty PYTHONPATH is the same as none, but not to a program that reads it.
    child = {**settings, "pythonPath": None if path is None else os.fsdecode(path), "isChild": True}
    ours = os.fsencode(STARTUP) + (b":" + path if path else b"")
    return [*kept, b"PYTHONPATH=" + ours, SETTINGS.encode() + b"=" + json.dumps(child).encode()]
