"""Bytes that Spark's own engine allocates land on tasks, or on services that are listed."""

import pytest
from conftest import demand_rows_explain

pytestmark = pytest.mark.full

OUTSIDE = {"jvm-heap": "noTaskHeapBytes: ", "jvm-offheap": "noTaskOffHeapBytes: "}
WORK = ["pandas_udf", "sort_merge_join", "broadcast_join", "cached_aggregate", "stream"]


def test_bytes_of_the_engine_land_on_tasks_or_on_listed_services(spark_run):
    conf = {"spark.executor.memory": "1g", "spark.memprof.driver.enabled": "false"}  # a driver's JVM runs no tasks
    report = spark_run("engine.py", *WORK, master="local-cluster[1,2,1024]", conf=conf).demand_success().report()
    demand_rows_explain(report)
    for executor in report["executors"]:
        for process in executor["processes"]:
            rows = {row["name"]: row["bytes"] >> 20 for row in process["peakRows"]}
            unattributed = process["unattributedBytes"] / process["peakRssBytes"]
            whole = process["peakRssBytes"] >> 20
            print(f"{process['kind']}: {unattributed:+.1%} of {whole} MiB unattributed; MiB: {rows}")
    groups = [group for stage in report["stages"] for group in (stage, stage["otherAttempts"])]
    heap = 0
    for origin, family in OUTSIDE.items():
        totals = [total for group in groups for total in group["totals"] if total["origin"] == origin]
        of_tasks = sum(total["allocatedBytes"] for total in totals)
        counters = report["counters"].items()
        outside = {name.removeprefix(family): value for name, value in counters if name.startswith(family)}
        missed = sum(value for name, value in outside.items() if name.startswith("thread ") or name == "other threads")
        every = of_tasks + sum(outside.values())
        shares = {name: f"{value / every:.2%}" for name, value in sorted(outside.items(), key=lambda one: -one[1])}
        version = report["application"]["sparkVersion"]
        print(f"Spark {version}, {origin}: {of_tasks / every:.1%} of {every >> 20} MiB on tasks; {shares}")
        assert missed <= 0.03 * every, (origin, shares)
        if origin == "jvm-heap":
            heap = of_tasks
            assert every > 1 << 30
            assert of_tasks >= 0.9 * every, shares
            assert {"task launch", "RPC", "block transfer"} <= set(outside)
        else:
            assert "block transfer" in outside, "buffers of Netty's serve all tasks"
    # What of Spark it was for is told, too.
    operators = {one["operator"] for stage in report["stages"] for one in stage["operators"]}
    assert operators >= {
        "SortExec",
        "SortMergeJoinExec",
        "hashed relation of a join",
        "InMemoryRelation",
        "shuffle write",
    }
    assert operators & {"state store", "StateStoreSaveExec", "StateStoreRestoreExec"}
    told = sum(one["allocatedBytes"] for stage in report["stages"] for one in stage["operators"])
    print(f"{told / heap:.1%} of the tasks' bytes of heap are some operator's")
    assert told > 0.8 * heap
