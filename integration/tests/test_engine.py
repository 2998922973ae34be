"""Bytes that Spark's own engine allocates land on tasks, or on services that are listed."""

import pytest
from conftest import demand_rows_explain

pytestmark = pytest.mark.full

OUTSIDE = {"jvm-heap": "noTaskHeapBytes: ", "jvm-offheap": "noTaskOffHeapBytes: "}
# What of Spark each kind of work is for; of a stream one of these.
WORK = {
    "pandas_udf": {"PythonRunner"},
    "sort_merge_join": {"SortExec", "SortMergeJoinExec", "shuffle write"},
    "broadcast_join": {"hashed relation of a join"},
    "cached_aggregate": {"InMemoryRelation"},
    "stream": {"state store", "StateStoreSaveExec", "StateStoreRestoreExec"},
}


def report_of(spark_run, *work):
    conf = {"spark.executor.memory": "1g", "spark.memprof.driver.enabled": "false"}  # a driver's JVM runs no tasks
    report = spark_run("engine.py", *work, master="local-cluster[1,2,1024]", conf=conf).demand_success().report()
    demand_rows_explain(report)
    return report


def demand_listed(report, what, origin):
    """No more than a few bytes are of threads that are no task's and no service's; (tasks', all, by service)."""
    family = OUTSIDE[origin]
    groups = [group for stage in report["stages"] for group in (stage, stage["otherAttempts"])]
    totals = [total for group in groups for total in group["totals"] if total["origin"] == origin]
    of_tasks = sum(total["allocatedBytes"] for total in totals)
    counters = report["counters"].items()
    outside = {name.removeprefix(family): value for name, value in counters if name.startswith(family)}
    missed = sum(value for name, value in outside.items() if name.startswith("thread ") or name == "other threads")
    every = of_tasks + sum(outside.values())
    if every != 0:
        shares = {name: f"{value / every:.2%}" for name, value in sorted(outside.items(), key=lambda one: -one[1])}
        version = report["application"]["sparkVersion"]
        print(f"Spark {version}, {what}, {origin}: {of_tasks / every:.1%} of {every >> 20} MiB on tasks; {shares}")
        assert missed <= 0.03 * every, (origin, shares)
    return of_tasks, every, outside


def operators_of(report):
    return {one["operator"] for stage in report["stages"] for one in stage["operators"]}


@pytest.mark.parametrize("work", WORK)
def test_bytes_of_each_kind_of_work(spark_run, work):
    """15 s each: the share of one kind of work says nothing of another's."""
    report = report_of(spark_run, work)
    _, every, _ = demand_listed(report, work, "jvm-heap")
    assert every > 128 << 20
    demand_listed(report, work, "jvm-offheap")
    found = operators_of(report)
    assert (found & WORK[work]) if work == "stream" else (found >= WORK[work]), found
    if work == "stream":
        native = [site for stage in report["stages"] for site in stage["sites"] if site["origin"] == "jvm-native"]
        modules = {frame["module"] or "" for site in native for frame in site["frames"]}
        assert any("rocksdb" in module for module in modules), modules


def test_bytes_of_the_engine_land_on_tasks_or_on_listed_services(spark_run):
    report = report_of(spark_run, *WORK)
    for executor in report["executors"]:
        for process in executor["processes"]:
            rows = {row["name"]: row["bytes"] >> 20 for row in process["peakRows"]}
            unattributed = process["unattributedBytes"] / process["peakRssBytes"]
            whole = process["peakRssBytes"] >> 20
            print(f"{process['kind']}: {unattributed:+.1%} of {whole} MiB unattributed; MiB: {rows}")
    of_tasks, every, outside = demand_listed(report, "all", "jvm-heap")
    assert every > 1 << 30
    assert of_tasks >= 0.9 * every
    assert {"task launch", "RPC", "block transfer"} <= set(outside)
    _, _, outside = demand_listed(report, "all", "jvm-offheap")
    assert "block transfer" in outside, "buffers of Netty's serve all tasks"
    # What of Spark it was for is told, too.
    operators = operators_of(report)
    assert operators >= set().union(*(WORK[work] for work in WORK if work != "stream"))
    assert operators & WORK["stream"]
    named = [one for stage in report["stages"] for one in stage["operators"] if one["origin"] == "jvm-heap"]
    told = sum(one["allocatedBytes"] for one in named)
    print(f"{told / of_tasks:.1%} of the tasks' bytes of heap are some operator's")
    assert told > 0.8 * of_tasks
