"""Processes that a task of a PySpark worker starts: each has the task's session in a box of its own."""

import pathlib

import pytest
from conftest import JOBS, line_of, module_alone, on

WAYS = {
    "spawns": (1_899_997, 1),
    "serves": (2_899_997, 1),
    "joins": (3_899_997, 2),
    "forks": (8_899_997, 3),
    "runs": (4_899_997, 1),
    "runs_apart": (6_899_997, 9),
}
BESIDE_BYTES = 4 * 65_536  # a small object of the same line is sampled now and then
OFTEN_BYTES = 5_899_997
MOST = 16


def holders(sessions, size):
    line = line_of(JOBS / "in_child.py", "# take in a child")
    return [
        session
        for session in sessions
        for site in session["sites"]
        if 0 <= site["allocated"] - size < BESIDE_BYTES
        and (pathlib.Path(site["frames"][-1]["file"]).name, site["frames"][-1]["line"]) == ("in_child.py", line)
    ]


@on("4")
def test_tasks_at_once_have_a_bound_each(run_job, boxes):
    rows, stderr = run_job("starts_together")
    assert rows == 2
    assert "sparkmemprof" not in stderr
    found = holders(boxes.sessions(), 7_899_997)
    assert len({session["task_attempt_id"] for session in found}) == 2
    assert len(found) == 24


@on("4")
def test_their_blocks_are_the_tasks(run_job, boxes):
    results, stderr = run_job("starts")
    assert results == {way: [0] for way in (*WAYS, "runs_often")}
    ours = [line for line in stderr.splitlines() if "sparkmemprof" in line]
    assert ours == ["sparkmemprof: some processes are not profiled: a task started more than 16"]

    sessions = boxes.sessions()
    for way, (size, count) in WAYS.items():
        found = holders(sessions, size)
        assert len(found) == count, way
        of_worker = [s for s in sessions if [udf["name"] for udf in s["udfs"]] == [way] and s not in found]
        assert {session["task_attempt_id"] for session in found} == {of_worker[0]["task_attempt_id"]}, way
        assert [udf["name"] for session in found for udf in session["udfs"]] == [way] * count
    one_by_one = sorted(holders(sessions, WAYS["forks"][0]), key=lambda session: session["opened_ms"])
    assert all(session["closed"] for session in one_by_one)
    ends = [session["closed_ms"] for session in one_by_one]
    assert all(end <= later["opened_ms"] for end, later in zip(ends, one_by_one[1:])), "none ran beside the next"
    assert len(holders(sessions, OFTEN_BYTES)) == MOST, "up to a bound"
    beyond = [session["counters"].get("unprofiledProcesses") for session in sessions]
    assert [count for count in beyond if count] == [18 - MOST]


@pytest.mark.parametrize(
    ("code", "serves"),
    [
        ("from multiprocessing.forkserver import main; main(3, 4, [], **{})", True),
        ("import sys; from multiprocessing.forkserver import main; main(3, 4, [], sys_argv=sys.argv[1:], **{})", True),
        ("from multiprocessing.resource_tracker import main;main(3)", False),
    ],
)
def test_a_fork_server_is_known_by_its_words(code, serves):
    """CPython has changed them within a line of releases (gh-144503)."""
    assert module_alone("children").is_fork_server(["python", "-s", "-c", code]) == serves
