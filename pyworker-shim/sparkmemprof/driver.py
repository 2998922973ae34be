"""Profiles the driver's Python process of a Spark application, which ``spark-submit`` or the user starts.

``sparkmemprof submit`` starts profiling before the program's first line. Otherwise import this, as early as possible::

    import sparkmemprof.driver

What it holds is then in a black box below ``SPARKMEMPROF_BOX_DIR`` or, by default, ``<tmp>/sparkmemprof-<uid>/drivers``
(if another user has that name, one warning names the directory that is used instead). The box is removed when the
process ends normally; where the process has started its JVM (a notebook, ``python job.py``), what it held is then in
the application's report. If it was killed, ``sparkmemprof post-mortem DIR`` reads the box. If the JVM that this process
has started is killed, its post-mortem comes here (jvm_watch.py). Standard library only.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import stat
import sys
import tempfile
import time
from typing import Any

INTERVAL_BYTES = 65_536


def start() -> None:
    """Starts profiling this process, once. Never raises."""
    if os.environ.get("PYSPARK_GATEWAY_SECRET") is None and "pyspark.worker" in sys.modules:
        return  # a worker of an executor is profiled by worker.py
    from sparkmemprof import call_sites
    from sparkmemprof.failures import install
    from sparkmemprof.standard_error import say
    from sparkmemprof.typed_code import follow

    follow()
    call_sites.install()
    if "sparkmemprof.program" in sys.modules:
        install()
        return  # `sparkmemprof submit` or `run` has started it
    watch = None
    try:
        from sparkmemprof.jvm_watch import JvmWatch

        watch = JvmWatch()
        install(watch.note)
    except Exception as error:
        install()
        say(f"the driver's JVM is not watched: {error}")
    try:
        folder = _private_folder()
    except Exception as error:
        say(f"the driver's Python is not profiled: {error}")
        return
    atexit.register(_remove, folder, os.getpid())  # runs after the profile's own end, which is registered later
    if watch is not None:
        name = os.path.basename((getattr(sys, "argv", None) or [""])[0]) or "python"
        atexit.register(watch.join, folder, name)  # once the profile has ended
    from sparkmemprof.program import start as start_program

    settings: dict[str, Any] = {
        "boxDirectory": folder,
        "applicationId": os.path.basename(folder),
        "intervalBytes": INTERVAL_BYTES,
        "pythonPath": os.environ.get("PYTHONPATH"),
    }
    start_program(settings)


def _private_folder() -> str:
    parent = os.environ.get("SPARKMEMPROF_BOX_DIR")
    if parent:
        os.makedirs(os.path.dirname(os.path.abspath(parent)), exist_ok=True)
    else:
        parent = os.path.join(_own_folder(tempfile.gettempdir()), "drivers")
    _make_own(parent)
    folder = os.path.join(parent, f"driver-{time.strftime('%Y%m%d%H%M%S')}-{os.getpid()}")
    os.mkdir(folder, 0o700)
    return folder


class _NotOursError(Exception):
    pass


def _own_folder(base: str) -> str:
    """``sparkmemprof-<uid>``. If another user has made that directory, one with a random name beside it: the one that
    executors here use (PrivateDirectories.java has the same rule), or a new one."""
    name = f"sparkmemprof-{os.getuid()}"
    own = os.path.join(base, name)
    try:
        _make_own(own, only_ours=True)
        return own
    except _NotOursError as error:
        refusal = error
    instead = _first_of_ours(base, name)
    if instead is None:
        made = tempfile.mkdtemp(prefix=f"{name}-", dir=base)
        instead = _first_of_ours(base, name) or made  # another process may have made one meanwhile
        if instead != made:
            with contextlib.suppress(OSError):
                os.rmdir(made)
    from sparkmemprof.standard_error import say

    say(f"{refusal}; {instead} is used instead")
    return instead


def _first_of_ours(base: str, name: str) -> str | None:
    for other in sorted(entry for entry in os.listdir(base) if entry.startswith(f"{name}-"))[:1000]:
        with contextlib.suppress(_NotOursError, OSError):
            _demand_own(os.path.join(base, other), only_ours=True)
            return os.path.join(base, other)
    return None


def _make_own(path: str, only_ours: bool = False) -> None:
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    _demand_own(path, only_ours)


def _demand_own(path: str, only_ours: bool) -> None:
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode):
        raise _NotOursError(f"{path} is not a directory")
    if found.st_uid != os.getuid():
        raise _NotOursError(f"{path} belongs to user {found.st_uid}, not to user {os.getuid()}")
    if only_ours and found.st_mode & 0o077:
        raise _NotOursError(f"{path} is open to others")


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


start()
