"""How the JVM ended that PySpark has started for this process; its parent alone can ask. Standard library only."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any

from sparkmemprof.failures import gateway_of_program

# Its connections are closed a moment before a process is gone.
MOST_WAIT_SECONDS = 5
POLL_SECONDS = 0.05
_CONNECT_SECONDS = 1


def answers(gateway: Any) -> bool:
    """Whether the JVM still takes connections: then something else broke the one that was lost, such as a Ctrl-C."""
    import socket  # not in every program that is profiled

    try:
        parameters = gateway.gateway_parameters
        socket.create_connection((parameters.address, parameters.port), _CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


def leave_status(directory: str) -> None:
    """Says in `<pid>.jvm-status` how this process's JVM ended, as subprocess has it, for who isn't its parent
    (cli/report_places.py).

    Waits at most 5 s, times its `spark.memprof.patience`, for one that answers no more. Nothing is said of one that
    lives, whose application has ended, or that another process has started. Never raises."""
    with contextlib.suppress(Exception):
        gateway = gateway_of_program()
        process = getattr(gateway, "proc", None)
        if process is None or not os.path.exists(os.path.join(directory, f"{process.pid}.report-place")):
            return
        if process.poll() is None and not answers(gateway):
            _wait(process, directory)
        if process.returncode is not None:
            with open(os.path.join(directory, f"{process.pid}.jvm-status"), "w", encoding="ascii") as file:
                file.write(str(process.returncode))


def _wait(process: Any, directory: str) -> None:
    from sparkmemprof.cli.report_places import patience  # not in every program that is profiled

    begin, most = time.monotonic(), MOST_WAIT_SECONDS * patience(directory, [process.pid])
    while process.poll() is None and time.monotonic() - begin < most:
        time.sleep(POLL_SECONDS)
