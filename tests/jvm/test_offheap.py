"""Off-heap memory through Unsafe: direct buffers of odd sizes must come back to the byte."""

import pytest
from conftest import sites, total

FIRST, SECOND, THIRD = 50_331_653, 33_554_467, 19_999_999
OF_ARENA = 21_000_037
KEPT, NETTYS, OUTLIVES, LENT = 7_000_003, 5_000_011, 9_000_007, 30_000_001


@pytest.mark.parametrize("load", ["agentpath", "late"])
def test_direct_buffers_exactly(java, load):
    quiet = ["--sun-misc-unsafe-memory-access=allow"] if java.version == "25" else []
    outcome = java.run("DirectBuffers", load, agent="" if load == "agentpath" else None, jvm=quiet)
    assert outcome.status == 0, outcome.err
    assert outcome.err == ""
    task = outcome.task("task")
    (first,) = sites(task, "jvm-offheap", "DirectBuffers.first")
    (second,) = sites(task, "jvm-offheap", "DirectBuffers.second")
    (third,) = sites(task, "jvm-offheap", "DirectBuffers.third")
    assert [site["allocatedBytes"] for site in (first, second, third)] == [FIRST, SECOND, THIRD]
    assert [site["liveAtPeakBytes"] for site in (first, second, third)] == [FIRST, SECOND, 0]
    assert [site["liveBytes"] for site in (first, second, third)] == [0, SECOND, THIRD]
    assert {site["allocations"] for site in (first, second, third)} == {1}
    assert not first["sampled"]
    assert first["variance"] == 0
    assert [frame["line"] for frame in first["frames"] if frame["function"] == "DirectBuffers.first"] == [13]

    later = outcome.task("later")
    assert total(later, "jvm-offheap") == THIRD


@pytest.mark.parametrize("load", ["agentpath", "late"])
def test_small_blocks_and_growing_ones(java, load):
    quiet = ["--sun-misc-unsafe-memory-access=allow"] if java.version == "25" else []
    outcome = java.run("UnsafeBlocks", load, agent="" if load == "agentpath" else None, jvm=quiet)
    assert outcome.status == 0, outcome.err
    task = outcome.task("task")

    small = sites(task, "jvm-offheap", "UnsafeBlocks.small")
    assert sum(site["allocatedBytes"] for site in small) == pytest.approx(
        4 * 500_000 * 1000, rel=0.0375
    )  # 6 deviations
    assert sum(site["allocations"] for site in small) == pytest.approx(4 * 500_000, rel=0.0375)
    assert sum(site["liveBytes"] for site in small) == 0
    assert all(site["sampled"] for site in small)

    # Both blocks were handed out; only the larger is left, and there never were both.
    grown = sites(task, "jvm-offheap", "UnsafeBlocks.growing")
    assert sum(site["allocatedBytes"] for site in grown) == 12_000_000
    assert sum(site["liveBytes"] for site in grown) == 9_000_000
    assert sum(site["liveAtPeakBytes"] for site in grown) == 9_000_000


def test_foreign_memory(java25):
    """An arena takes its memory from Unsafe. What a downcall gets from malloc is in no site (docs/report.md)."""
    outcome = java25.run("ForeignMemory")
    assert (outcome.status, outcome.out) == (0, "true\n"), outcome.err
    task = outcome.task("task")
    (arena,) = sites(task, "jvm-offheap", "ForeignMemory.ofArena")
    assert OF_ARENA <= arena["allocatedBytes"] == arena["liveBytes"] < OF_ARENA + 8
    assert not [
        site for origin in ("jvm-offheap", "jvm-native") for site in sites(task, origin, "ForeignMemory.ofMalloc")
    ]
    assert total(outcome.task("later"), "jvm-offheap") == 0, "its arena is closed"


def test_what_no_running_task_holds(java):
    """It waits for the agent, which looks for more once in five seconds."""
    outcome = java.run("OutsideTasks", agent="")
    assert outcome.status == 0, outcome.err
    told = [message["left"] for message in outcome.messages() if "left" in message]

    def lent(site):  # the agent may look while its constructor runs: then it has the size that Unsafe has rounded up
        return LENT <= site["bytes"] < LENT + 8

    most, last = (
        {
            LENT if lent(site) else site["bytes"]: site
            for site in left["sites"]
            if "OutsideTasks.keep" in site["functions"] or lent(site)
        }
        for left in (max(told, key=lambda left: sum(site["bytes"] for site in left["sites"])), told[-1])
    )
    assert set(most) == {KEPT, NETTYS, OUTLIVES, LENT}
    assert set(last) == {KEPT, NETTYS, OUTLIVES}
    made = {size: (site["stageId"], site["thread"], site["tasks"]) for size, site in most.items()}
    assert made == {
        KEPT: (-1, "thread keeper-#", 0),
        NETTYS: (-1, "block transfer", 0),
        OUTLIVES: (3, "", 1),
        LENT: (-1, "thread lender-#", 0),
    }
    counters = outcome.snapshots()[-1]["counters"]
    assert counters["noTaskOffHeapBytes: thread keeper-#"] == KEPT
    assert counters["noTaskOffHeapBytes: thread lender-#"] == LENT, "what was allocated, not what is left"
    assert counters["noTaskOffHeapBytes: block transfer"] == NETTYS
