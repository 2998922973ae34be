"""Signals reach what `run` and `submit` have started: from a terminal by themselves and once, or by us."""

import os
import pty
import signal
import subprocess
import sys

import pytest
from processes import kill_all, kill_session, patient, run, start, until

PROGRAM = """
import pathlib, signal, time

signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the terminal's end
received = []
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1):
    signal.signal(number, lambda number, _: received.append(number))
pathlib.Path("ready").touch()
end = time.monotonic() + 60
while not received and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(1)  # a second one would have come by now
pathlib.Path("written").write_text(" ".join(signal.Signals(number).name for number in received))
pathlib.Path("written").rename("received")
"""
COMMAND = [sys.executable, "-m", "sparkmemprof.cli.main", "run", "program.py"]


# The command line, to which a signal comes while Popen has started the child and has not returned.
EARLY = """
import os, pathlib, signal, subprocess, sys, time
from sparkmemprof.cli.main import main

class Popen(subprocess.Popen):
    def __init__(self, *words, **options):
        super().__init__(*words, **options)
        while not pathlib.Path("ready").exists() and self.poll() is None:
            time.sleep(0.01)
        if pathlib.Path("ready").exists():  # not what tries the library
            os.kill(os.getpid(), signal.SIGTERM)

subprocess.Popen = Popen
main()
"""
ENDS_BY_ITSELF = (
    "import pathlib, signal, sys, time; signal.signal(signal.SIGTERM, lambda *_: sys.exit(7));"
    "pathlib.Path('ready').touch(); time.sleep(60)"
)


@pytest.fixture
def ready(tmp_path):
    """Call it to wait until the program is."""
    (tmp_path / "program.py").write_text(PROGRAM)
    return lambda: until((tmp_path / "ready").exists, 60, "the program is ready")


def take_interrupts():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores both
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1])
def test_one_that_is_sent_to_us_alone(package, tmp_path, ready, number):
    environment = {**os.environ, "PYTHONPATH": str(package)}
    process = start(COMMAND, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL, preexec_fn=take_interrupts)
    try:
        ready()
        process.send_signal(number)
        assert process.wait(patient(30)) == 0
    finally:
        kill_session(process)
    assert (tmp_path / "received").read_text() == number.name


@pytest.mark.parametrize(("key", "name"), [(b"\x03", "SIGINT"), (b"\x1c", "SIGQUIT")])
def test_one_of_a_terminal(package, tmp_path, ready, key, name):
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
        os.write(terminal, key)
        until((tmp_path / "received").exists, 30, "the program has ended")
    except BaseException:
        kill_all({pid})
        raise
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)
    assert (tmp_path / "received").read_text() == name


@pytest.mark.parametrize("words", [["run", "-c", ENDS_BY_ITSELF], ["submit", "job.py"]])
def test_one_that_comes_in_the_instant_of_the_start(package, bundle, fake_spark, tmp_path, words):
    ours = {"PYTHONPATH": str(package), "SPARKMEMPROF_BUNDLE": str(bundle), "FAKE_JOB": ENDS_BY_ITSELF}
    environment = {**os.environ, **fake_spark.env, **ours}
    finished = run([sys.executable, "-c", EARLY, *words], 60, cwd=tmp_path, env=environment)
    assert finished.returncode == 7, finished.stderr


@pytest.mark.parametrize("words", [["run", "-c", "import signal; print(signal.getsignal(1))"], ["submit", "job.py"]])
def test_one_that_is_ignored_stays_so(package, bundle, fake_spark, tmp_path, words):
    """As nohup does it: the JVM of a job goes on when its terminal is closed."""
    ours = {"PYTHONPATH": str(package), "SPARKMEMPROF_BUNDLE": str(bundle), "FAKE_JOB": "print(signal.getsignal(1))"}
    command = [sys.executable, "-m", "sparkmemprof.cli.main", *words]
    environment = {**os.environ, **fake_spark.env, **ours}
    finished = run(
        command, 60, cwd=tmp_path, env=environment, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
    )
    assert finished.stdout.splitlines()[0] == str(signal.SIG_IGN), finished.stderr
