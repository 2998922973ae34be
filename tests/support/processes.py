"""Processes that tests start, each in a session of its own, of which a time-out leaves nothing; and how long to wait.

MEMPROF_TEST_PATIENCE, a factor, makes every wait longer, for a machine that is slow or busy with other work.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

# A run of tests that is told to end does so as by Ctrl-C: each fixture ends what it has started.
signal.signal(signal.SIGTERM, signal.default_int_handler)

PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))


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
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(patient(seconds))
    kill_session(process)


def kill_session(process):
    """By session, for PySpark's daemon has a process group of its own."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            session = int(stat.read_text().rpartition(")")[2].split()[3])
            if session == process.pid:
                os.kill(int(stat.parent.name), signal.SIGKILL)
    process.wait()
