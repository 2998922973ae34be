"""Processes that die of a signal: they die as without the profiler, and their box says of which signal, and where."""

import signal
import subprocess

import pytest
from conftest import DIFFERENT_CPYTHONS, NATIVE, SCENES, python_of


@pytest.fixture
def die(scene_process):
    """Runs the scene to its end; returns (exit status, stderr)."""

    def run(*arguments, **options):
        finished = scene_process("crashes", arguments=arguments, **options)
        return finished.returncode, finished.stderr

    return run


def line_of_fault(function):
    lines = (SCENES / "crashes.py").read_text().splitlines()
    begin = lines.index(f"def {function}():")
    return next(number for number, line in enumerate(lines, 1) if number > begin and line.endswith("# fault"))


def place_of(function):
    """Address and size of a function of the library's."""
    symbols = subprocess.run(["nm", "-S", NATIVE / "libcrash.so"], check=True, capture_output=True, text=True).stdout
    words = next(line.split() for line in symbols.splitlines() if line.endswith(f" {function}"))
    return int(words[0], 16), int(words[1], 16)


def incident_of(boxes):
    (session,) = boxes.sessions(4711)
    assert not session["closed"]
    (incident,) = session["incidents"]
    return incident


@pytest.mark.parametrize("version", DIFFERENT_CPYTHONS)
@pytest.mark.parametrize(
    "end",
    [
        ("segfault", "segfault", signal.SIGSEGV, "crash_here"),
        ("abort", "abort", signal.SIGABRT, "abort_here"),
        ("overflow", "overflow", signal.SIGSEGV, "overflow_here"),
        ("in_thread", "segfault", signal.SIGSEGV, "crash_here"),
        ("sent_abort", "sent_abort", signal.SIGABRT, None),
    ],
    ids=lambda end: end[0],
)
def test_the_box_says_which_signal_and_where(version, end, die, boxes):
    way, function, number, native = end
    python = python_of(version)
    if python is None:
        pytest.skip(f"no CPython {version} that the hooks were built for")

    assert die(way, "bare", python=python) == (-number, "")
    assert die(way, "hooked", python=python) == (-number, ""), "it dies as without us"

    incident = incident_of(boxes)
    assert incident["signal"] == number
    python_frames = [frame for frame in incident["frames"] if frame["language"] == "python"]
    assert (python_frames[-1]["function"], python_frames[-1]["line"]) == (function, line_of_fault(function))
    in_library = [frame["offset"] for frame in incident["frames"] if frame["module"].endswith("/libcrash.so")]
    assert bool(in_library) == (native is not None)
    if native:
        begin, size = place_of(native)
        assert begin <= in_library[-1] - 1 < begin + size, "names are those of the byte before"


@pytest.mark.parametrize("when", ["faulthandler", "faulthandler late"])
def test_faulthandler_still_speaks(when, die, boxes):
    status, stderr = die("segfault", "hooked", when)

    assert status == -signal.SIGSEGV
    assert "Fatal Python error: Segmentation fault" in stderr
    assert 'crashes.py"' in stderr
    incident = incident_of(boxes)
    assert incident["signal"] == signal.SIGSEGV
    python_frames = [frame for frame in incident["frames"] if frame["language"] == "python"]
    assert python_frames[-1]["line"] == line_of_fault("segfault")


def test_what_cannot_be_noted_leaves_no_word(die, boxes):
    assert die("killed", "hooked") == (-signal.SIGKILL, "")
    (session,) = boxes.sessions(4711)
    assert session["incidents"] == []


@pytest.mark.parametrize("way", ["survives", "is_ignored"])
def test_who_handles_or_ignores_a_signal_lives_on(way, die, boxes):
    assert die(way, "bare") == (0, "")
    assert die(way, "hooked") == (0, "")
    (session,) = boxes.sessions(4711)
    assert session["incidents"] == []


def test_a_child_without_a_box_dies_as_it_would(die, boxes):
    assert die("in_child", "hooked") == (100 - signal.SIGSEGV, "")
    (session,) = boxes.sessions(4711)
    assert session["incidents"] == [], "not in its parent's box"
