"""SIGINT reaches a program under `run`: from a terminal by itself and once, or by us."""

import os
import pty
import signal
import subprocess
import sys

import pytest
from processes import kill_all, kill_session, patient, start, until

PROGRAM = """
import pathlib, signal, time

signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the terminal's end
received = []
signal.signal(signal.SIGINT, lambda *_: received.append(time.monotonic()))
pathlib.Path("ready").touch()
end = time.monotonic() + 60
while not received and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(1)  # a second one would have come by now
pathlib.Path("written").write_text(str(len(received)))
pathlib.Path("written").rename("received")
"""
COMMAND = [sys.executable, "-m", "sparkmemprof.cli.main", "run", "program.py"]


@pytest.fixture
def ready(tmp_path):
    """Call it to wait until the program is."""
    (tmp_path / "program.py").write_text(PROGRAM)
    return lambda: until((tmp_path / "ready").exists, 60, "the program is ready")


def take_interrupts():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it


def test_one_that_is_sent_to_us_alone(package, tmp_path, ready):
    environment = {**os.environ, "PYTHONPATH": str(package)}
    process = start(COMMAND, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL, preexec_fn=take_interrupts)
    try:
        ready()
        process.send_signal(signal.SIGINT)
        assert process.wait(patient(30)) == 0
    finally:
        kill_session(process)
    assert (tmp_path / "received").read_text() == "1"


def test_one_of_a_terminal(package, tmp_path, ready):
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            take_interrupts()
            os.chdir(tmp_path)
            os.execve(COMMAND[0], COMMAND, {**os.environ, "PYTHONPATH": str(package)})
        finally:
            os._exit(127)
    try:
        ready()
        os.write(terminal, b"\x03")
        until((tmp_path / "received").exists, 30, "the program has ended")
    except BaseException:
        kill_all({pid})
        raise
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)
    assert (tmp_path / "received").read_text() == "1"
