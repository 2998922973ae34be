"""What is still live when a task ends, and what grows from task to task in a reused worker."""

import pytest
from conftest import BESIDE_BYTES, line_of, warnings_of

pytestmark = pytest.mark.one_line

HELPER = "kept_helper.py"
TASKS = 12


@pytest.fixture(scope="session")
def report(shared_run):
    run = shared_run("kept.py", master="local[1]", environment={"LC_ALL": "C"}).demand_success()
    assert warnings_of(run) == []
    # A container often has no locale: the summary does without what its log can't write.
    assert "\nsparkmemprof - kept.py (local-" in run.stderr
    assert run.result() == 4 * TASKS + 1_200
    return run.report()


def lines_at(report, marker):
    number = line_of(HELPER, marker)
    found = [line for stage in report["stages"] for line in stage["lines"] if line["line"] == number]
    return [line for line in found if (line["file"] or "").endswith(HELPER)]


@pytest.mark.parametrize(
    ("marker", "size", "left"),
    [
        ("leaks", 1_000_003, True),
        ("leaks by batch", 1_234_567, True),
        ("fills once", 9_000_011, True),
        ("replaces", 5_000_011, True),
        ("frees", 7_000_003, False),
    ],
)
def test_what_is_live_when_a_task_ends(report, marker, size, left):
    (line,) = lines_at(report, marker)
    assert line["allocatedBytes"] // (size + 1) == (1 if marker == "fills once" else TASKS)
    assert 0 <= line["liveAtEndBytes"] - (size + 1 if left else 0) < BESIDE_BYTES


def test_only_what_grows_is_a_leak(report):
    leaks = {leak["line"]: leak for leak in report["leaks"] if leak["file"].endswith(HELPER)}
    expected = {"leaks": (1_000_003, "remember"), "leaks by batch": (1_234_567, "remember_batches")}
    assert set(leaks) == {line_of(HELPER, marker) for marker in expected}
    assert len(leaks) == len(report["leaks"])
    for marker, (size, function) in expected.items():
        leak = leaks[line_of(HELPER, marker)]
        largest = leak["largest"]
        assert (leak["udfName"], leak["workers"], largest["tasks"]) == (function, 1, TASKS)
        assert largest["tasksWithBytes"] == TASKS
        assert largest["perTaskLowBytes"] <= size + 1 <= largest["perTaskHighBytes"]
        assert 0 <= largest["liveBytes"] - TASKS * (size + 1) < BESIDE_BYTES
