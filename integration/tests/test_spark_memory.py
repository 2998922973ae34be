"""Spark's own memory: what the report says of it against what Spark says itself."""

import pytest
from conftest import warnings_of

pytestmark = pytest.mark.one_line("4")

# (1 GiB - what the JVM keeps - 300 MiB) * 0.1: some 70 MiB, half of it storage's own.
SMALL = {"spark.driver.memory": "1g", "spark.memory.fraction": "0.1"}
OFF_HEAP_BYTES = 80 << 20
VALUE_BYTES = 5_300_021
BLOCKS_BYTES = 7 * 3_000_017
SLOW_BYTES = 40 * 300_007


@pytest.fixture(params=["onHeap", pytest.param("offHeap", marks=pytest.mark.full)], scope="session")
def mode(request):
    """Of Spark's execution memory."""
    return request.param


@pytest.fixture(scope="session")
def run(shared_run, mode):
    off_heap = {"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": str(OFF_HEAP_BYTES)}
    words, conf = ([], SMALL) if mode == "onHeap" else (["off-heap"], SMALL | off_heap)
    run = shared_run("spark_memory.py", *words, conf=conf).demand_success()
    assert warnings_of(run) == []
    return run


def pool_of(report, mode):
    (executor,) = report["executors"]
    (pool,) = [pool for pool in executor["sparkMemory"] if pool["mode"] == mode]
    return executor, pool


def spilling_stage(run, report):
    """The one stage that spilled, by Spark's word."""
    spilled = {int(key): figures for key, figures in run.result()["stages"].items() if figures[0] or figures[1]}
    ((stage_id, figures),) = spilled.items()
    (stage,) = [stage for stage in report["stages"] if stage["stageId"] == stage_id]
    return stage["sparkMemory"], figures


def test_pools(run, mode):
    executor, pool = pool_of(run.report(), mode)
    if mode == "offHeap":
        assert pool["maxBytes"] == OFF_HEAP_BYTES
        (region,) = [region for region in executor["regions"] if region["name"] == "offHeap"]
        peaks = pool["storagePeakBytes"], pool["executionPeakBytes"]
        assert region["budgetBytes"] == OFF_HEAP_BYTES
        # Cached blocks, and a sort beside them.
        assert max(peaks) < region["peakBytes"] <= min(sum(peaks), OFF_HEAP_BYTES)
    else:
        budgets = {region["name"]: region["budgetBytes"] for region in executor["regions"]}
        assert abs(pool["maxBytes"] - budgets["heap.storage"] - budgets["heap.execution"]) < 1 << 20
        assert [pool["mode"] for pool in executor["sparkMemory"]] == ["onHeap"]
    assert abs(pool["storageRegionBytes"] - pool["maxBytes"] / 2) <= 1
    cached = run.result()["cached"]["orders"][0]
    assert BLOCKS_BYTES < cached < BLOCKS_BYTES + 100_000
    assert pool["storagePeakBytes"] >= cached
    assert pool["unevictablePeakBytes"] == min(pool["storagePeakBytes"], pool["storageRegionBytes"])
    assert pool["storageBorrowedPeakBytes"] == max(0, pool["storagePeakBytes"] - pool["storageRegionBytes"])
    own = pool["maxBytes"] - pool["storageRegionBytes"]
    assert pool["executionBorrowedPeakBytes"] == max(0, pool["executionPeakBytes"] - own)
    # The sort took what the cached blocks left: more than half of it was seen.
    assert (pool["maxBytes"] - cached) / 2 < pool["executionPeakBytes"] <= pool["maxBytes"] - cached


def test_what_was_unrolled(run, mode):
    executor, pool = pool_of(run.report(), mode)
    # Spark reserves half as much again at every sixteenth row, and the last of these stay for a second.
    assert SLOW_BYTES / 2 < executor["unrollPeakBytes"] <= pool["storagePeakBytes"]


def test_who_held_execution_memory_and_spilled(run, mode):
    memory, (spilled_memory, spilled_disk, _) = spilling_stage(run, run.report())
    assert (memory["spilledMemoryBytes"], memory["spilledDiskBytes"]) == (spilled_memory, spilled_disk)
    assert memory["tasksSpilled"] == 2
    sorter = memory["consumers"][0]
    assert sorter["name"].endswith(".UnsafeExternalSorter")
    assert sorter["operation"].startswith("sort")
    assert (sorter["mode"], sorter["tasks"]) == (mode, 2)
    # Spark's metric is what the sorter had when it spilled or ended. While its array of pointers grows, it has two.
    assert memory["peakExecutionBytes"] / 4 < sorter["peakBytes"] <= 1.5 * memory["peakExecutionBytes"]
    fullest = {moment["mode"]: moment for moment in memory["fullest"]}[sorter["mode"]]
    assert fullest["storageBytes"] >= run.result()["cached"]["orders"][0]
    assert fullest["executionBytes"] >= sorter["peakBytes"]
    assert fullest["storageBytes"] + fullest["executionBytes"] <= fullest["maxBytes"]


def test_cached_data_by_name(run, mode):
    cached = {row["name"]: row for row in run.report()["cachedData"]}
    spark = run.result()["cached"]
    for name, partitions, level in [
        ("orders", 7, "MEMORY_ONLY_SER" if mode == "onHeap" else "OFF_HEAP"),
        ("clicks", 3, "MEMORY_AND_DISK"),
    ]:
        memory, disk, blocks = spark[name] if name in spark else spark[f"In-memory table {name}"]
        row = cached[name]
        assert (row["memoryBytes"], row["diskBytes"], row["blocks"]) == (memory, disk, blocks)
        assert (row["peakMemoryBytes"], row["peakBlocks"], row["partitions"]) == (memory, partitions, partitions)
        assert row["storageLevel"] == level
        assert row["deserialized"] == (name == "clicks")
        assert row["serializer"] is None  # Java's is set, and Spark takes Kryo for some elements
        assert row["executors"] == [{"id": "driver", "memoryBytes": memory, "diskBytes": disk}]


def test_broadcast_variables(run):
    largest, *others = run.report()["broadcasts"]
    # Random bytes don't become less by compression; pickle, Java and LZ4 add a little.
    assert VALUE_BYTES < largest["bytes"] < VALUE_BYTES + 50_000
    assert largest["peakMemoryBytes"] == largest["bytes"]
    assert others
    assert all(other["bytes"] < 200_000 for other in others)


def test_finding(run):
    report = run.report()
    (finding,) = report["findings"]
    assert str(finding["stageId"]) in [key for key, figures in run.result()["stages"].items() if figures[0]]
    assert finding["headline"].startswith("Cached data `orders` holds ")
    assert f"has pushed execution into spilling in stage {finding['stageId']}" in finding["headline"]
    assert "unpersist" in finding["advice"][0]["because"]
