"""Processes that tests start, each in a session of its own, of which a time-out leaves nothing; and how long to wait.

Nor does it leave anything of the sessions that these processes start in turn, as a script does with `setsid`.

MEMPROF_TEST_PATIENCE, a factor, makes every wait longer, for a machine that is slow or busy with other work.
"""

import contextlib
import os
import pathlib
import signal
import subprocess
import time

PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))
# The profiler's own setting, spark.memprof.patience, in what tests run.
PROFILERS_PATIENCE = str(min(max(round(3 * PATIENCE), 1), 60))


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


def kept_environment():
    """What a process of a test has of our environment."""
    return {key: os.environ[key] for key in ("PATH", "HOME", "JAVA_HOME", "LANG") if key in os.environ}


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


def run(command, seconds, input=None, check=False, **options):
    """A CompletedProcess with captured text. After `seconds` its whole session is killed, and TimeoutExpired raised."""
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    if input is not None:
        options["stdin"] = subprocess.PIPE
    with start(command, **options) as process:
        try:
            stdout, stderr = process.communicate(input, timeout=patient(seconds))
        except BaseException:
            kill_session(process)
            raise
    assert not check or process.returncode == 0, f"exit status {process.returncode}\n{stdout}{stderr}"
    return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def stop(process, seconds=20):
    """Asks it to end, and kills all of its session that has not ended then."""
    sessions = {process.pid}
    try:
        living(sessions)
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patient(seconds))
    finally:
        kill_session(process, sessions)


def living(sessions):
    """The processes of these sessions that have not ended, by number. Adds the sessions that they have started."""
    alive = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, parent, _, session = stat.read_text().rpartition(")")[2].split()[:4]
            if state not in "ZX":
                alive[int(stat.parent.name)] = int(parent), int(session)
    members = set()
    while found := {
        number
        for number, (parent, session) in alive.items()
        if number not in members and (session in sessions or parent in members)
    }:
        members |= found
        sessions |= {alive[number][1] for number in found}
    return members


def kill_session(process, sessions=()):
    """By session, for PySpark's daemon has a process group of its own; again for whatever was forked meanwhile.

    `sessions`: those that it is known to have started.
    """
    kill_all({process.pid, *sessions})
    process.wait()


def kill_all(sessions):
    """What lives of these sessions, a set of their leaders' numbers, and of those that they have started."""
    while members := living(sessions):
        for member in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(member, signal.SIGKILL)
        time.sleep(0.01)
