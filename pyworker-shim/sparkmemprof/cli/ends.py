"""How this process ends: as what it ran has ended, and whoever has stopped reading its output changes nothing."""

import contextlib
import os
import resource
import signal
import sys


def end_as(status):
    """Ends this process as another one has ended: same exit status, or killed by the same signal, but without a second
    core file. `status`: as subprocess has it."""
    let_readers_go()
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status if status >= 0 else 128 - status)


def open_what_was_closed():
    """Gives this process a stdout and a stderr where it was started without: nobody reads what it says."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))


def let_readers_go():
    """Where nobody reads our output any more: what is still to be written must not fail at this process's end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
