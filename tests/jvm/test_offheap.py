"""Off-heap memory through Unsafe: direct buffers of odd sizes must come back to the byte."""

import pytest
from conftest import sites, total

FIRST, SECOND, THIRD = 50_331_653, 33_554_467, 19_999_999


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
