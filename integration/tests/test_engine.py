"""Bytes that Spark's own engine allocates land on tasks, or on services that are listed; a task's known bytes on it."""

import collections
import dataclasses
import re

import pytest
from conftest import demand_rows_explain
from java_jobs import jars_with

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
# What jobs/KnownBytes.java takes at each call, and the column of a task's row that has it.
KNOWN = {"jvm-heap": 24 * 10_000_019, "jvm-offheap": 64_000_007}
COLUMN = {"jvm-heap": "heapAllocatedBytes", "jvm-offheap": "offHeapLiveAtPeakBytes"}
CALL = re.compile(r"KNOWN (\w+) (\d+)")


@dataclasses.dataclass
class Finished:
    """An application of jobs/engine.py."""

    report: dict
    calls: dict  # {(work, task attempt's id): how often it has called KnownBytes}

    @property
    def stages(self):
        return self.report["stages"]

    @property
    def version(self):
        return self.report["application"]["sparkVersion"]

    def known_sites(self):
        """What KnownBytes took: none of the engine's bytes, which have shares of their own."""
        groups = [group for stage in self.stages for group in (stage, stage["otherAttempts"])]
        return [site for group in groups for site in known_sites_of(group)]

    def operators(self):
        """{(operator, origin): bytes}, those of KnownBytes left out."""
        sums = collections.Counter()
        for stage in self.stages:
            for one in stage["operators"]:
                sums[one["operator"], one["origin"]] += one["allocatedBytes"]
            for site in known_sites_of(stage):
                if "operator" in site:
                    sums[site["operator"], site["origin"]] -= site["allocatedBytes"]
        return +sums


def known_sites_of(group):
    return [site for site in group["sites"] if "KnownBytes.take" in [frame["function"] for frame in site["frames"]]]


def bytes_of(sites, origin):
    return sum(site["allocatedBytes"] for site in sites if site["origin"] == origin)


@pytest.fixture(scope="module")
def jars(spark, jar, tmp_path_factory):
    return jars_with("KnownBytes", spark, jar, tmp_path_factory.mktemp("known"))


@pytest.fixture
def run_engine(spark_run, jars):
    def run(*work):
        conf = {"spark.executor.memory": "1g", "spark.memprof.driver.enabled": "false"}  # a driver's JVM runs no tasks
        run = spark_run("engine.py", *work, master="local-cluster[1,2,1024]", conf=conf, jar=jars).demand_success()
        report = run.report()
        demand_rows_explain(report)
        calls = [call for log in run.executor_logs().values() for call in CALL.findall(log)]
        found = collections.Counter((name, int(task)) for name, task in calls)
        assert {name for name, _ in found} == set(work), calls
        return Finished(report, found)

    return run


def demand_known(finished):
    """At least 90 % of what KnownBytes took is on the task that called it, and nothing of it anywhere else."""
    of_callers = []
    for (work, task), calls in finished.calls.items():
        (stage,) = [stage for stage in finished.stages if task in stage["taskRows"]["taskAttemptIds"]]
        rows = stage["taskRows"]
        at = rows["taskAttemptIds"].index(task)
        assert rows["statuses"][at] == "counted"
        sites = known_sites_of(stage)
        of_callers += sites
        assert {site["tasks"] for site in sites} == {1}, (work, sites)
        for origin, once in KNOWN.items():
            known, found = calls * once, bytes_of(sites, origin)
            print(
                f"Spark {finished.version}, {work}, {origin}: {found / known:.2%} of {known} known bytes on task {task}"
            )
            assert 0.9 * known <= found <= 1.1 * known, (work, origin)
            column = [figure or 0 for figure in rows[COLUMN[origin]]]
            # That one task is this one: its own row has the bytes. It did the stage's work as the others did.
            assert column[at] >= 0.9 * once, (work, rows)
            assert column[at] == max(column), (work, rows)
    for origin in KNOWN:
        assert bytes_of(finished.known_sites(), origin) == bytes_of(of_callers, origin)


def demand_listed(finished, what, origin):
    """No more than a few bytes are of threads that are no task's and no service's; (tasks', all, by service)."""
    family = OUTSIDE[origin]
    groups = [group for stage in finished.stages for group in (stage, stage["otherAttempts"])]
    totals = [total for group in groups for total in group["totals"] if total["origin"] == origin]
    of_tasks = sum(total["allocatedBytes"] for total in totals) - bytes_of(finished.known_sites(), origin)
    counters = finished.report["counters"].items()
    outside = {name.removeprefix(family): value for name, value in counters if name.startswith(family)}
    missed = sum(value for name, value in outside.items() if name.startswith("thread ") or name == "other threads")
    every = of_tasks + sum(outside.values())
    if every != 0:
        shares = {name: f"{value / every:.2%}" for name, value in sorted(outside.items(), key=lambda one: -one[1])}
        told = f"{of_tasks / every:.1%} of {every >> 20} MiB on tasks; {shares}"
        print(f"Spark {finished.version}, {what}, {origin}: {told}")
        assert missed <= 0.03 * every, (origin, shares)
    return of_tasks, every, outside


@pytest.mark.parametrize("work", WORK)
def test_bytes_of_each_kind_of_work(run_engine, work):
    """15 s each: the share of one kind of work says nothing of another's."""
    finished = run_engine(work)
    demand_known(finished)
    _, every, _ = demand_listed(finished, work, "jvm-heap")
    assert every > 128 << 20
    demand_listed(finished, work, "jvm-offheap")
    found = {operator for operator, _ in finished.operators()}
    assert (found & WORK[work]) if work == "stream" else (found >= WORK[work]), found
    if work == "stream":
        native = [site for stage in finished.stages for site in stage["sites"] if site["origin"] == "jvm-native"]
        modules = {frame["module"] or "" for site in native for frame in site["frames"]}
        assert any("rocksdb" in module for module in modules), modules


def test_bytes_of_the_engine_land_on_tasks_or_on_listed_services(run_engine):
    finished = run_engine(*WORK)
    for executor in finished.report["executors"]:
        for process in executor["processes"]:
            rows = {row["name"]: row["bytes"] >> 20 for row in process["peakRows"]}
            unattributed = process["unattributedBytes"] / process["peakRssBytes"]
            whole = process["peakRssBytes"] >> 20
            print(f"{process['kind']}: {unattributed:+.1%} of {whole} MiB unattributed; MiB: {rows}")
    demand_known(finished)
    of_tasks, every, outside = demand_listed(finished, "all", "jvm-heap")
    assert every > 1 << 30
    assert of_tasks >= 0.9 * every
    assert {"task launch", "RPC", "block transfer"} <= set(outside)
    _, _, outside = demand_listed(finished, "all", "jvm-offheap")
    assert "block transfer" in outside, "buffers of Netty's serve all tasks"
    # What of Spark it was for is told, too.
    sums = finished.operators()
    operators = {operator for operator, _ in sums}
    assert operators >= set().union(*(WORK[work] for work in WORK if work != "stream"))
    assert operators & WORK["stream"]
    told = sum(bytes_ for (_, origin), bytes_ in sums.items() if origin == "jvm-heap")
    print(f"{told / of_tasks:.1%} of the tasks' bytes of heap are some operator's")
    assert told > 0.8 * of_tasks
