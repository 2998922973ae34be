"""How the chaos tests judge: a kill that nobody asked for is the kernel's only where its counter says so."""

import dataclasses
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "integration/chaos"))
import judging
import results

EXECUTOR, OTHER, HOME, ELSEWHERE, WHEN = "3", "4", "/containers/first", "/containers/second", 100.0
HOMES = {EXECUTOR: HOME, OTHER: ELSEWHERE}
JVM = 70
BY_KERNEL = judging.Death("memory", EXECUTOR, 71, [5], ["small"], HOME, kernel_kills=1, time=WHEN)
BY_SIGNAL = judging.Death("worker", EXECUTOR, 71, [5], ["small"], HOME, time=WHEN)
EXECUTORS = judging.Death("executor", EXECUTOR, JVM, [5], ["small"], HOME, time=WHEN + 2)


def told(pid=71, process="python-worker", **other):
    frame = {"language": "python", "file": "/jobs/job.py", "line": judging.marked("small")}
    return {
        "process": process,
        "executorId": EXECUTOR,
        "pid": pid,
        "outOfMemory": True,
        "unknown": False,
        "timeMs": WHEN * 1e3,
        "sites": [{"liveAtPeakBytes": 50_000_017, "frames": [frame]}],
        **other,
    }


def judge(deaths, kills, told):
    """`kills`: moments in HOME, or (container, moment)."""
    kills = [kill if isinstance(kill, tuple) else (HOME, kill) for kill in kills]
    return judging.judge({"postMortems": told}, deaths, kills, HOMES)


def judged(death, kills, *told):
    """(whether it is told, is right about memory; pids of the kernel's other kills; pids that nobody died for)"""
    result = judge([death], kills, list(told))
    (verdict,) = result.verdicts
    others = [[each["pid"] for each in some] for some in (result.by_kernel, result.unasked)]
    return verdict.told, verdict.memory_right, *others


def test_a_second_death_is_the_kernels_where_it_killed_twice():
    assert judged(BY_KERNEL, [WHEN - 0.2], told()) == (True, True, [], [])
    assert judged(BY_KERNEL, [WHEN - 0.2], told(), told(pid=72)) == (True, True, [], [72])
    assert judged(BY_KERNEL, [WHEN - 0.2, WHEN - 0.1], told(), told(pid=72)) == (True, True, [72], [])
    assert judged(BY_KERNEL, [WHEN - 0.2, WHEN + 9 * judging.CLOCK_SECONDS], told(), told(pid=72)) == (
        True,
        True,
        [],
        [72],
    )
    assert judged(BY_KERNEL, [WHEN - 1.5 * judging.TOLD_SECONDS, WHEN - 0.2], told(), told(pid=72)) == (
        True,
        True,
        [],
        [72],
    )
    not_of_memory = told(pid=72, outOfMemory=False)
    assert judged(BY_KERNEL, [WHEN - 0.2, WHEN - 0.1], told(), not_of_memory) == (True, True, [], [72])
    assert judged(BY_KERNEL, [WHEN - 0.2, WHEN - 0.1], told(), told()) == (True, True, [], [71]), "the same one twice"
    assert judged(BY_KERNEL, [WHEN - 0.2, WHEN - 0.1], told(), told(pid=72), told(pid=72)) == (True, True, [72], [72])


def test_a_kill_in_another_container_explains_nothing():
    elsewhere = [WHEN - 0.2, (ELSEWHERE, WHEN - 0.1)]
    assert judged(BY_KERNEL, elsewhere, told(), told(pid=72)) == (True, True, [], [72])
    assert judged(BY_KERNEL, elsewhere, told(), told(pid=72, executorId=OTHER)) == (True, True, [72], [])
    assert judged(BY_SIGNAL, [(ELSEWHERE, WHEN + 1)], told()) == (True, False, [], [])


def test_a_worker_that_the_kernel_took_with_its_executor_is_told_with_it():
    twice = dataclasses.replace(BY_KERNEL, kernel_kills=2)
    result = judge([twice], [WHEN - 0.3, WHEN - 0.2], [told(JVM, "jvm")])
    (verdict,) = result.verdicts
    assert (verdict.told, verdict.by_itself, verdict.memory_right, verdict.line_right) == (True, False, True, True)
    assert verdict.with_executor["pid"] == JVM
    assert result.untold == [], "one post-mortem explains both kills"
    other = [{"liveAtPeakBytes": 50_000_017, "frames": [{"language": "python", "file": "/jobs/job.py", "line": 1}]}]
    assert judge([twice], [], [told(JVM, "jvm", sites=other)]).verdicts[0].line_right is False
    third = judge([twice], [WHEN - 0.4, WHEN - 0.3, WHEN - 0.2], [told(JVM, "jvm")])
    assert len(third.untold) == 1


def test_the_kernel_may_take_the_executor_instead():
    jvm = told(JVM, "jvm")
    assert judged(BY_KERNEL, [WHEN - 0.2], jvm) == (True, True, [], [])
    assert judged(BY_KERNEL, [WHEN - 0.2], jvm | {"timeMs": (WHEN + 3 * judging.TOLD_SECONDS) * 1e3}) == (
        False,
        False,
        [],
        [JVM],
    )
    assert judged(BY_SIGNAL, [], jvm) == (False, False, [], [JVM])
    assert judged(BY_KERNEL, [WHEN - 0.2]) == (False, False, [], [])


@pytest.mark.parametrize("worker", [BY_SIGNAL, BY_KERNEL])
def test_a_worker_dies_with_its_executor(worker):
    kills = [WHEN - 0.2] if worker is BY_KERNEL else []
    deaths = [worker, EXECUTORS]
    right = judge(deaths, kills, [told(JVM, "jvm", outOfMemory=False)])
    assert [(each.told, each.memory_right) for each in right.verdicts] == [(True, True)] * 2
    late = [worker, dataclasses.replace(EXECUTORS, time=WHEN + 2 * judging.SOON_SECONDS)]
    assert not judge(late, kills, [told(JVM, "jvm", outOfMemory=False)]).verdicts[0].told
    # The next executor reads a counter that has the worker's kill, too: its verdict is in doubt then, else wrong.
    wrong = judge(deaths, kills, [told(JVM, "jvm")])
    assert [each.memory_right for each in wrong.verdicts] == [True, None if kills else False]


@pytest.mark.parametrize(("kill", "right"), [(WHEN + 1, None), (WHEN + 4 * judging.SOON_SECONDS, False), (None, False)])
def test_a_wrong_verdict_is_in_doubt_only_while_the_kernel_killed_beside_it(kill, right):
    kills = [] if kill is None else [kill]
    assert judged(BY_SIGNAL, kills, told()) == (True, right, [], [])
    assert judged(BY_SIGNAL, kills, told(outOfMemory=False)) == (True, True, [], [])
    # A sibling that the kernel took at that time has its own post-mortem.
    assert judged(BY_SIGNAL, kills, told(), told(pid=72, timeMs=(WHEN + 1.1) * 1e3))[1] is right
    asked = [WHEN - 0.2, *kills]
    assert judged(BY_KERNEL, asked, told(outOfMemory=False)) == (True, False, [], []), "its own kill is no doubt"


def test_what_is_counted():
    result = judge([BY_KERNEL, EXECUTORS], [WHEN - 0.3, WHEN - 0.2, WHEN - 0.1], [told(), told(72)])
    assert (result.dead_workers(), result.untold) == (2, [(HOME, WHEN - 0.3)])
    (worker, _) = result.verdicts
    assert worker.line_right
    other = [{"liveAtPeakBytes": 50_000_017, "frames": [{"language": "python", "file": "/jobs/job.py", "line": 1}]}]
    assert judge([BY_SIGNAL], [], [told(outOfMemory=False, sites=other)]).verdicts[0].line_right is False


def test_an_unknown_death_is_neither_right_nor_wrong_unless_the_kernel_did_it():
    unknown = told(outOfMemory=False, unknown=True)
    (verdict,) = judge([BY_SIGNAL], [], [unknown]).verdicts
    assert (verdict.told, verdict.unknown, verdict.memory_right) == (True, True, None)
    (verdict,) = judge([BY_KERNEL], [WHEN - 0.2], [unknown]).verdicts
    assert (verdict.told, verdict.unknown, verdict.memory_right) == (True, True, False)
    (verdict,) = judge([BY_SIGNAL], [], [told(outOfMemory=False)]).verdicts
    assert not verdict.unknown


def application(*verdicts, filled=0):
    """One line of results."""
    counts = dict.fromkeys(("status", "byKernel", "extraFailedTasks", "leftBoxes", "corrupt"), 0)
    return {**counts, "filled": filled, "seed": 1, "untoldKills": [], "unasked": [], "verdicts": [*verdicts]}


def found(death=BY_SIGNAL, **other):
    verdict = judging.Verdict(death, told=True, by_itself=True, memory_right=True, line_right=True)
    return dataclasses.asdict(dataclasses.replace(verdict, **other))


def rows(*verdicts):
    """What the table has, by its first column."""
    lines = results.summary([application(*verdicts)], 0.9).splitlines()[2:]
    return {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)}


def test_unknown_deaths_and_lines_without_a_judge_have_rows_of_their_own():
    unknown = found(unknown=True, memory_right=None)
    of_kernel = found(BY_KERNEL, unknown=True, memory_right=False)
    table = rows(found(), found(memory_right=None), unknown, of_kernel, found(line_right=None))
    assert table["right about memory or not"][0] == "2"
    assert "; 1 in doubt:" in table["right about memory or not"][1]
    assert table["told as unknown"] == ["2", "1 of them killed by the kernel, which is wrong"]
    assert table["right about the top line"] == ["4", "of 4 judged"]
    assert table["top lines without a judge"][0] == "1"


def test_what_is_below_what_is_demanded():
    fine = [*[found()] * 8, found(unknown=True, memory_right=None), found(line_right=None)]
    assert not results.misses([application(*fine, filled=1)]), "neither is wrong"
    assert results.misses([application(*fine)]), "no container was nearly full, so why is it unknown?"
    assert results.misses([application(*fine, found(line_right=None), filled=1)]), "too few lines were judged"
    for wrong in (
        found(told=False),
        found(memory_right=False),
        found(BY_KERNEL, unknown=True, memory_right=False),
        found(line_right=False),
    ):
        assert results.misses([application(*fine, wrong, filled=2)])
        assert len([*results.worth_a_look([application(*fine, wrong)])]) == 1
    assert not results.misses([application(*[found()] * 99, found(line_right=False))])
    assert results.misses([application(*[found()] * 98, *[found(line_right=None)] * 10, found(line_right=False))])
