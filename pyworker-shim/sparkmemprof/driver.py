"""Profiles the driver's Python process of a Spark application, which ``spark-submit`` or the user starts.

``sparkmemprof submit`` starts profiling before the program's first line. Otherwise import this, as early as possible::

    import sparkmemprof.driver

What it holds is then in a black box below ``SPARKMEMPROF_BOX_DIR`` (or ``<tmp>/sparkmemprof-<uid>/drivers``), which is
removed when the process ends normally. If it was killed, ``sparkmemprof post-mortem DIR`` reads the box. Standard
library only.
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
        return  # a worker of an executor has its own
    from sparkmemprof.failures import install

    install()
    if "sparkmemprof.program" in sys.modules:
        return  # `sparkmemprof submit` or `run` has started it
    try:
        folder = _private_folder()
    except Exception as error:
        print(f"sparkmemprof: the driver's Python is not profiled: {error}", file=sys.stderr)
        return
    atexit.register(_remove, folder, os.getpid())  # runs after the profile's own end, which is registered later
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
    if not parent:
        own = os.path.join(tempfile.gettempdir(), f"sparkmemprof-{os.getuid()}")
        _make_own(own)
        parent = os.path.join(own, "drivers")
    _make_own(parent)
    folder = os.path.join(parent, f"driver-{time.strftime('%Y%m%d%H%M%S')}-{os.getpid()}")
    os.mkdir(folder, 0o700)
    return folder


def _make_own(path: str) -> None:
    with contextlib.suppress(FileExistsError):
        os.mkdir(path, 0o700)
    found = os.lstat(path)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(f"{path} is not a directory of this user")


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


start()
