"""Every kind of cluster, by conf alone, from a Python without sparkmemprof."""

import json
import pathlib
import re
import tempfile

import pytest
from conftest import AGENT_PATH, LOCAL_CLUSTER, demand_blocks, demand_rows_explain, ours, sites_at, warnings_of
from processes import until

PANDAS_BYTES, PANDAS_TASKS = 1_999_993, 4
RDD_BYTES, RDD_TASKS = 2_999_977, 5
JOB = "blocks.py"
GROWN = sum(range(4_000)) + 4_000 * PANDAS_BYTES
SQUARES = [number * number + RDD_BYTES for number in range(40)]


def demand_result(run):
    run.demand_success()
    assert run.stdout == f"RESULT {json.dumps([GROWN, SQUARES])}\n"


@pytest.mark.full
def test_without_the_profiler(spark_run):
    """The result that all the others demand."""
    demand_result(spark_run(JOB, profiled=False))


def demand_block(stages, marker, bytes_each, tasks):
    """One site of the marked line in all stages, with the bytes of exactly so many tasks."""
    found = [(stage, site) for stage in stages for site in sites_at(stage["sites"], JOB, marker)]
    assert len(found) == 1, f"{marker}: {found}"
    stage, site = found[0]
    assert stage["tasks"] == tasks
    demand_blocks(site, bytes_each, tasks)
    assert 0.99 * bytes_each <= site["residentAtPeakBytes"] <= bytes_each + 1
    assert not sites_at(stage["otherAttempts"]["sites"], JOB, marker)


def demand_profile(run, executors, loaded):
    demand_result(run)
    assert warnings_of(run) == []
    for path, text in run.executor_logs().items():
        assert len(ours(text)) <= 1, f"{path}: {ours(text)}"
    report = run.report()
    assert report["unfinished"] is False
    demand_block(report["stages"], "pandas block", PANDAS_BYTES, PANDAS_TASKS)
    demand_block(report["stages"], "rdd block", RDD_BYTES, RDD_TASKS)
    rows = {executor["id"]: executor for executor in report["executors"]}
    assert report["postMortems"] == [], "its end is no death"
    if "driver" not in executors:  # it is one of its own, which the jar alone measures
        driver = rows.pop("driver")
        assert driver["agentLoaded"] == "jar"
        assert {process["kind"] for process in driver["processes"]} == {"jvm", "python-driver"}
        assert driver["atPeak"]["usedBytes"] > 0
    assert set(rows) == executors
    for executor in rows.values():
        assert executor["agentLoaded"] == loaded
        assert executor["limitBytes"] > 0
        assert executor["requestedBytes"] > 0
        kinds = {process["kind"] for process in executor["processes"]}
        assert kinds >= {"jvm", "python-daemon", "python-worker"}
        for process in executor["processes"]:
            names = {row["name"] for row in process["peakRows"]}
            if process["kind"] == "python-worker":
                assert names >= {"Python objects", "mapped files", "data of libraries", "interpreter", "profiler"}
            elif process["kind"] == "jvm":
                assert names >= {"Java heap", "mapped files", "code cache", "thread stacks", "data of libraries"}
            else:
                assert names == {"RssAnon", "RssFile", "RssShmem"}
    heap = [site for stage in report["stages"] for site in stage["sites"] if site["origin"] == "jvm-heap"]
    assert heap, "what the tasks allocated in the JVM's heap"
    assert report["counters"]["droppedTasks"] == 0
    return report


def demand_nothing_left(report):
    """Spark's own clusters don't wait for their executors: these may still be going when spark-submit has ended."""
    application = report["application"]
    temporary, mine = pathlib.Path(tempfile.gettempdir()), f"sparkmemprof-*/{application['id']}*"
    started = f"{application['id']}-{application['startedMs']}"

    def is_others(path):
        """Of another cluster, whose application has the same id because it started in the same second."""
        return re.match(rf"{application['id']}-\d+", path.name) and not path.name.startswith(started)

    def is_removed():
        try:
            return all(is_others(path) for path in temporary.glob(mine))
        except FileNotFoundError:  # a folder of another one's, between two looks at it
            return False

    until(is_removed, 30, f"{mine} is removed")


def agent_option(key):
    return {key: AGENT_PATH}


def test_local(spark_run, tmp_path):
    cwd = tmp_path / "mine"
    cwd.mkdir()
    run = spark_run(JOB, cwd=cwd)
    report = demand_profile(run, {"driver"}, "jar")
    demand_rows_explain(report)
    assert list(cwd.iterdir()) == [], "nothing is written into the user's directory"
    demand_nothing_left(report)


@pytest.mark.full
@pytest.mark.one_line
def test_local_with_agentpath(spark_run):
    run = spark_run(JOB, conf=agent_option("spark.driver.extraJavaOptions"))
    demand_profile(run, {"driver"}, "agentpath")


@pytest.mark.full
@pytest.mark.one_line("4")
def test_local_cluster(spark_run):
    run = spark_run(JOB, master=LOCAL_CLUSTER)
    report = demand_profile(run, {"0", "1"}, "jar")
    demand_nothing_left(report)
    assert list(run.work.glob("app-*/*/*sparkmemprof*/*")) == []


@pytest.mark.one_line
def test_local_cluster_with_agentpath(spark_run):
    run = spark_run(JOB, master=LOCAL_CLUSTER, conf=agent_option("spark.executor.extraJavaOptions"))
    demand_profile(run, {"0", "1"}, "agentpath")


@pytest.mark.one_line("4")
def test_standalone(spark_run, standalone):
    conf = {"spark.executor.cores": "1", "spark.cores.max": "2", "spark.executor.memory": "700m"}
    run = spark_run(JOB, master=standalone.master, conf=conf)
    run.work = standalone.work
    report = demand_profile(run, {"0", "1"}, "jar")
    demand_nothing_left(report)
    assert list(run.work.glob("app-*/*/*sparkmemprof*/*")) == []
    assert {row["requestedBytes"] for row in report["executors"] if row["id"] != "driver"} == {700 << 20}
