"""What tests/support/processes.py leaves of the processes that it starts: nothing."""

import pathlib
import subprocess
import sys

import processes
import pytest

# Like a script of ours: its child, in a session of its own, ignores what would end it, and tells its number.
SCRIPT = """
setsid sh -c 'trap "" TERM HUP; echo $$ > "$0"; while :; do sleep 0.1; done' "$0" &
wait
"""


@pytest.fixture
def told(tmp_path):
    return tmp_path / "number"


def start(told):
    """The process, once its child has told its number."""
    process = processes.start(["sh", "-c", SCRIPT, told])
    processes.until(lambda: told.exists() and told.read_text(), 60, "the child tells its number")
    return process


def has_ended(told):
    stat = pathlib.Path(f"/proc/{told.read_text().strip()}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] in "ZX"


def test_a_killed_session_leaves_no_session_that_it_started(told):
    processes.kill_session(start(told))
    assert has_ended(told)


def test_one_that_ends_when_asked_leaves_none_either(told):
    processes.stop(start(told))
    assert has_ended(told)


def test_a_time_out_leaves_nothing(told):
    with pytest.raises(subprocess.TimeoutExpired):
        processes.run(["sh", "-c", SCRIPT, told], 10)
    assert has_ended(told)


def test_what_is_run_gets_its_input_and_gives_its_output():
    finished = processes.run([sys.executable, "-c", "print(input()); raise SystemExit(3)"], 60, input="typed")
    assert (finished.returncode, finished.stdout, finished.stderr) == (3, "typed\n", "")
    with pytest.raises(AssertionError, match="exit status 3"):
        processes.run([sys.executable, "-c", "raise SystemExit(3)"], 60, check=True)
