"""Threads to tasks: children inherit, tags expire, nobody is charged for a bystander."""

import itertools
import re

import pytest
from conftest import sites

BYTES = 300_000 * 1016


@pytest.mark.parametrize("load", ["agentpath", "late"])
def test_children_inherit_until_their_task_is_closed(java, load):
    outcome = java.run("TaskThreads", load, agent="" if load == "agentpath" else None)
    assert outcome.status == 0, outcome.err
    first, second = outcome.task("first"), outcome.task("second")

    def allocated(task, function):
        return sum(site["allocatedBytes"] for site in sites(task, "jvm-heap", "TaskThreads." + function))

    assert allocated(first, "byChild") == pytest.approx(BYTES, rel=0.05)
    assert allocated(first, "byGrandchild") == pytest.approx(BYTES, rel=0.05)
    assert allocated(first, "byWriter") == pytest.approx(BYTES, rel=0.05)
    assert allocated(first, "byBystander") == allocated(first, "byPool") == 0
    assert allocated(first, "afterwards") == allocated(second, "afterwards") == 0

    counters = outcome.snapshots()[-1]["counters"]
    assert counters["noTaskHeapBytes: thread lingering-#"] == pytest.approx(BYTES, rel=0.05)
    assert counters["noTaskHeapBytes: block transfer"] == pytest.approx(BYTES, rel=0.05)
    assert counters["noTaskHeapBytes: thread bystander-#"] == pytest.approx(BYTES, rel=0.05)


def test_a_carrier_of_virtual_threads_is_no_tasks(java):
    outcome = java.run("VirtualThreads")
    assert outcome.status == 0, outcome.err
    if int(java.version) < 21:
        assert outcome.out == "none\n"
        return
    first = outcome.task("first")
    (own,) = sites(first, "jvm-heap", "VirtualThreads.onItself")
    assert own["allocatedBytes"] == pytest.approx(BYTES, rel=0.05)
    for function in ("byFirst", "bySecond"):
        assert sites(first, "jvm-heap", f"VirtualThreads.{function}") == []
    counters = outcome.snapshots()[-1]["counters"]
    assert counters["noTaskHeapBytes: virtual threads"] == pytest.approx(2 * BYTES, rel=0.05)


def test_of_many_short_tasks_few_bring_the_executors_figures(java17):
    outcome = java17.run("ShortTasks")
    assert outcome.status == 0, outcome.err
    ended = [outcome.task(path.name) for path in sorted(outcome.folder.glob("ended-*"))]
    assert len(ended) >= 60
    taken = [task["executor"]["takenMs"] for task in ended if "executor" in task]
    assert "executor" in ended[0]
    assert len(taken) > 1
    assert all(later - earlier >= 500 for earlier, later in itertools.pairwise(taken))
    assert outcome.task("interim")["executor"]["takenMs"] > 0, "it may be the last that is heard of the executor"


def test_how_long_collectors_stopped_the_jvm_during_a_task(java):
    """Between what the JVM's own beans counted meanwhile and its own log of the stops since the task began."""
    jvm = ["-XX:+UseSerialGC", "-Xlog:safepoint"]  # all of its collections stop the JVM
    outcome = java.run("TaskPauses", "50", jvm=jvm)
    assert outcome.status == 0, outcome.err
    since = outcome.out.partition("the task begins\n")[2]
    counted, took = map(int, re.search(r"^beans (\d+), took (\d+)$", since, re.MULTILINE).groups())
    logged = sum(map(int, re.findall(r"\bSafepoint .* Total: +(\d+) ns", since))) / 1e6
    stopped = outcome.task("task")["gcStoppedMs"]
    # Each of two beans counts whole milliseconds of all its collections; a stop is a little longer than its collection.
    assert counted >= 50
    assert counted - 2 <= stopped <= min(logged, took), (counted, logged, took)
