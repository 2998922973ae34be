"""Many tasks in one JVM at small intervals: nothing grows, and the last task's figures are as right as the first's."""

import re

import pytest
from conftest import sites
from processes import PATIENCE
from test_native import HOG

KEPT = 3_000_017
MOST_GROWTH_KIB = 24 << 10  # malloc's arenas and the JVM's own compiled code settle late


@pytest.mark.full
@pytest.mark.timeout(1000 * PATIENCE)  # the suite's own is ten minutes
def test_ten_minutes_at_16_kib(java17):
    """Ten minutes long, because what grows by a block for each task or thread shows only then."""
    heap = ["-Xms256m", "-Xmx256m", "-XX:+AlwaysPreTouch"]  # what the heap is filled with doesn't show in the RSS
    outcome = java17.run("LongRun", "600", jvm=heap, env={"NATIVE_HOG": HOG, "MALLOC_ARENA_MAX": "2"}, timeout=900)
    assert outcome.status == 0, outcome.err
    assert outcome.warnings == []
    resident = [int(kib) for kib in re.findall(r"resident (\d+) KiB", outcome.out)]
    print(outcome.out)
    assert len(resident) == 10
    assert max(resident[-2:]) - max(resident[2:4]) < MOST_GROWTH_KIB, resident
    task = outcome.task("last")
    for origin, function, header in (("jvm-heap", "LongRun.main", 23), ("jvm-native", "NativeHog.keep", 0)):
        largest = max(site["allocatedBytes"] for site in sites(task, origin, function))
        assert largest == pytest.approx(KEPT + header, abs=header), origin
