"""JVM heap samples: known numbers of small objects must come back with their call site."""

import pytest
from conftest import sites, total

ARRAY = 1016  # new byte[1000]
OTHER = 1624  # new long[201]


def test_six_gigabytes_of_small_objects_within_three_percent(java):
    count = 6_400_000  # 6.5 GB: six standard deviations are 2.7 % at 128 KiB
    outcome = java.run("KnownAllocations", str(count), agent="interval=128k", jvm=["-Xmx256m"])
    assert outcome.status == 0, outcome.err
    task = outcome.task("first")

    found = sites(task, "jvm-heap", "KnownAllocations.many")
    allocated = sum(site["allocatedBytes"] for site in found)
    assert allocated == pytest.approx(count * ARRAY, rel=0.03)
    assert sum(site["allocations"] for site in found) == pytest.approx(count, rel=0.03)
    innermost = found[0]["frames"][-1]
    assert innermost["file"] == "KnownAllocations.java"
    assert innermost["line"] == 9
    assert found[0]["sampled"] is True
    assert "liveAtPeakBytes" not in found[0]
    deviation = sum(site["variance"] for site in found) ** 0.5
    assert deviation == pytest.approx((128 * 1024 * allocated) ** 0.5, rel=0.1)


def test_each_task_has_its_own_bytes(java17):
    outcome = java17.run("KnownAllocations", "1000000", agent="interval=16k")
    first, second = outcome.task("first"), outcome.task("second")
    assert not sites(first, "jvm-heap", "KnownAllocations.some")
    assert not sites(second, "jvm-heap", "KnownAllocations.many")
    assert total(second, "jvm-heap") == pytest.approx(100_000 * OTHER, rel=0.08)  # 8 standard deviations
    assert (first["taskAttemptId"], first["stageId"], first["partition"], first["final"]) == (1, 3, 1, True)
    assert second["sequence"] > first["sequence"]
    assert second["jvmIntervalBytes"] == 16384
