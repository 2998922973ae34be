"""Processes that tests start, each in a session of its own, of which a time-out leaves nothing; and how long to wait.

MEMPROF_TEST_PATIENCE, a factor, makes every wait longer, for a machine that is slow or busy with other work.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))


def _end(number, frame):
    """A run of tests that is told to end does so as by Ctrl-C: each fixture ends what it has started and waits no more.

    A second word, such as xdist's after five seconds, must not cut that off.
    """
    global PATIENCE
    PATIENCE = 0
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


signal.signal(signal.SIGTERM, _end)


def patient(seconds):
    return seconds * PATIENCE


def until(condition, seconds, what):
    """The first value of condition() that is true; `what` is awaited, in words, and may be a function that says it."""
    deadline = time.monotonic() + patient(seconds)
    while not (value := condition()):
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {patient(seconds):.0f} s: {what() if callable(what) else what}")
        time.sleep(0.1)
    return value


def start(command, **options):
    """A Popen without stdin in a session of its own; options as for Popen."""
    options = {"stdin": subprocess.DEVNULL, "start_new_session": True} | options
    return subprocess.Popen([*map(str, command)], **options)


def run(command, seconds, **options):
    """A CompletedProcess with captured text. After `seconds` its whole session is killed, and TimeoutExpired raised."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    with start(command, **options) as process:
        try:
            stdout, stderr = process.communicate(timeout=patient(seconds))
        except BaseException:
            kill_session(process)
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def stop(process, seconds=20):
    """Asks it to end, and kills all of its session that has not ended then."""
    try:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patient(seconds))
    finally:
        kill_session(process)


def _living(session):
    """The processes of a session that have not ended, by number."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, _, its_session = stat.read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state not in "ZX":
                yield int(stat.parent.name)


def kill_session(process):
    """By session, for PySpark's daemon has a process group of its own; again for whatever was forked meanwhile."""
    while members := list(_living(process.pid)):
        for member in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(member, signal.SIGKILL)
        time.sleep(0.01)
    process.wait()
