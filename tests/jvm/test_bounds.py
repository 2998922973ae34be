"""Bounds of the agent's tables: beyond them detail is lost and counted, bytes never."""

import pytest
from conftest import sites, total

BLOCK = 4016  # new byte[4000]


@pytest.fixture(scope="module")
def run(classes, tmp_path_factory):
    from conftest import Java

    return lambda *words: Java("17", classes, tmp_path_factory.mktemp("bounds")).run("ManyStacks", *words)


@pytest.fixture(scope="module")
def outcome(run):
    return run()


def test_totals_add_up_beyond_every_bound(outcome):
    assert outcome.status == 0, outcome.err
    task = outcome.task("many")
    assert total(task, "jvm-heap") == pytest.approx(5000 * BLOCK, rel=0.001)
    assert outcome.snapshots()[-1]["counters"]["droppedJavaFrames"] > 0


def test_a_later_task_has_whole_stacks_again(outcome):
    task = outcome.task("few")
    (deep,) = sites(task, "jvm-heap", "ManyStacks.deeper")
    assert deep["allocatedBytes"] == 100 * BLOCK
    assert deep["allocations"] == 100
    functions = [frame["function"] for frame in deep["frames"]]
    assert len(functions) == 128  # outermost 32 and innermost 96 of 200
    assert functions[:2] == ["ManyStacks.main", "ManyStacks.deep"]
    assert functions[-1] == "ManyStacks.deep"


def test_a_task_whose_table_is_full_takes_no_room_of_others(run):
    beside = run("beside")
    assert beside.status == 0, beside.err
    assert total(beside.task("many"), "jvm-heap") == pytest.approx(16_000 * BLOCK, rel=0.01)
    (deep,) = sites(beside.task("few"), "jvm-heap", "ManyStacks.deeper")
    assert deep["allocatedBytes"] == 100 * BLOCK
    assert len(deep["frames"]) > 120
    assert "droppedJavaFrames" not in beside.snapshots()[-1]["counters"]
    assert beside.task("many")["counters"] == {"fullJvmSiteTables": 1}
    assert "fullJvmSiteTables" not in beside.task("few").get("counters", {})


def test_recursion_is_folded(outcome):
    (repeated,) = sites(outcome.task("few"), "jvm-heap", "ManyStacks.repeated")
    assert repeated["allocatedBytes"] == 100 * BLOCK
    lines = [frame["line"] for frame in repeated["frames"] if frame["function"] == "ManyStacks.repeated"]
    assert len(lines) == 2  # the line that calls itself, once, and the one that allocates
