"""Processes that really die: the post-mortem says who, why, which line, and what to change; and why not.

Kills for memory are the kernel's own, in a memory cgroup that the test makes. That needs root and a version 1 memory
hierarchy; where either is missing these tests are skipped.
"""

import os
import pathlib
import re
import time
import uuid

import pytest
from conftest import BUILD, LOCAL_CLUSTER, Standalone, line_of, sites_at

LIMIT_BYTES = 1_100_001_280  # whole pages
SCRATCH_BYTES = 1_299_999_989
HELD_BYTES = 61_999_993 + 1


def memory_hierarchy():
    """The folder of this process's own memory cgroup, or the reason why none can be made below it."""
    if os.geteuid() != 0:
        return None, "only root may make a memory cgroup"
    own = re.search(r"^\d+:(?:\w+,)*memory(?:,\w+)*:(.*)$", pathlib.Path("/proc/self/cgroup").read_text(), re.MULTILINE)
    mounts = pathlib.Path("/proc/self/mounts").read_text().splitlines()
    points = [words[1] for words in map(str.split, mounts) if words[2] == "cgroup" and "memory" in words[3].split(",")]
    if own is None or not points:
        return None, "no version 1 memory cgroup here"
    folder = pathlib.Path(points[0] + own[1])
    return (folder, "") if os.access(folder, os.W_OK) else (None, f"{folder} is read-only")


@pytest.fixture
def container():
    """A memory cgroup of LIMIT_BYTES."""
    parent, reason = memory_hierarchy()
    if parent is None:
        pytest.skip(reason)
    folder = parent / f"memprof-{uuid.uuid4().hex[:12]}"
    try:
        folder.mkdir()
        (folder / "memory.limit_in_bytes").write_text(str(LIMIT_BYTES))
    except OSError as refused:
        pytest.skip(f"no memory cgroup can be made here: {refused}")
    yield folder
    deadline = time.monotonic() + 20
    while (folder / "cgroup.procs").read_text() and time.monotonic() < deadline:
        time.sleep(0.1)
    folder.rmdir()


def kernel_kills(folder):
    return int(re.search(r"oom_kill (\d+)", (folder / "memory.oom_control").read_text())[1])


@pytest.fixture
def contained(spark, container, tmp_path):
    """A standalone cluster whose worker, and all that it starts, lives in the container."""
    enter = f'echo $$ > {container}/cgroup.procs && exec "$@"'
    cluster = Standalone(spark, tmp_path, worker_prefix=["sh", "-c", enter, "sh"])
    yield cluster
    cluster.stop()


def told(run):
    """The post-mortems in the driver's log, each as its lines."""
    return [part.split("\n\n")[0].splitlines() for part in run.stderr.split("sparkmemprof: post-mortem\n")[1:]]


def demand_told(run, deaths):
    texts = told(run)
    assert len(texts) == len(deaths), run.tail()
    for text, death in zip(texts, deaths, strict=True):
        assert "".join(" ".join(text).split()).startswith("".join(death["headline"].split())), text


@pytest.mark.one_line("4")
def test_a_kill_at_low_use_is_not_memory(spark_run):
    conf = {"spark.executor.heartbeatInterval": "1s", "spark.memprof.snapshot.seconds": "1"}
    run = spark_run("killed.py", master=LOCAL_CLUSTER, conf=conf).demand_success()
    (death,) = run.report()["postMortems"]
    assert death["process"] == "jvm"
    assert death["exitCode"] == 137
    assert death["outOfMemory"] is False
    assert "not of memory" in death["headline"]
    assert death["advice"] == []
    assert death["usedBytes"] < death["limitBytes"] / 2
    assert 0 <= death["lastSampleAgeMs"] < 20_000
    (block,) = sites_at(death["sites"], "killed.py", "block")
    assert block["allocatedBytes"] >= 2_100_012
    demand_told(run, [death])


def test_the_kernel_kills_a_python_worker(spark_run, contained, container):
    conf = {"spark.executor.memory": "512m", "spark.executor.cores": "1", "spark.cores.max": "1"}
    run = spark_run("deaths.py", "in-worker", BUILD / "demo/libscratch.so", master=contained.master, conf=conf)
    run.demand_success()
    assert run.result() == 1000
    assert kernel_kills(container) == 1
    (death,) = run.report()["postMortems"]
    assert death["process"] == "python-worker"
    assert death["outOfMemory"] is True
    assert "oom_kill counter of its cgroup rose by 1" in death["how"]
    assert death["limitBytes"] == LIMIT_BYTES
    assert 0 < death["usedBytes"] <= LIMIT_BYTES
    assert death["pid"] in [process["pid"] for process in death["processes"]]
    assert {"jvm", "python-worker"} <= {process["kind"] for process in death["processes"]}
    site = death["sites"][0]
    assert site["liveAtPeakBytes"] == SCRATCH_BYTES
    assert "enrich (deaths.py:" in site["udf"]
    assert (death["stageId"], death["taskAttemptId"]) == (site["stageId"], 0)
    python = [frame for frame in site["frames"] if frame["language"] == "python"]
    assert python[-1]["line"] == line_of("deaths.py", "scratch")
    assert "fill_scratch" in [frame["function"] for frame in site["frames"] if frame["language"] == "native"]
    assert death["advice"], "an out-of-memory death has at least one piece"
    demand_told(run, [death])


@pytest.mark.one_line("4")
def test_a_worker_that_dies_by_itself_is_not_memory(spark_run, contained, container):
    conf = {"spark.executor.memory": "512m", "spark.executor.cores": "1", "spark.cores.max": "1"}
    run = spark_run("deaths.py", "crash", master=contained.master, conf=conf).demand_success()
    assert kernel_kills(container) == 0
    (death,) = run.report()["postMortems"]
    assert death["process"] == "python-worker"
    assert death["outOfMemory"] is False
    assert death["advice"] == []
    (site,) = sites_at(death["sites"], "deaths.py", "held")
    assert site["liveAtPeakBytes"] == HELD_BYTES


@pytest.mark.one_line("4")
def test_the_kernel_kills_an_executor(spark_run, contained, container):
    conf = {
        "spark.executor.memory": "512m",
        "spark.executor.cores": "2",
        "spark.memory.offHeap.enabled": "true",
        "spark.memory.offHeap.size": "3g",
        "spark.task.maxFailures": "1",
    }
    run = spark_run("deaths.py", "in-jvm", master=contained.master, conf=conf)
    run.demand_success()
    assert kernel_kills(container) >= 1
    death = run.report()["postMortems"][0]
    assert death["process"] == "jvm"
    assert death["exitCode"] == 137
    assert death["outOfMemory"] is True
    assert death["limitBytes"] == LIMIT_BYTES
    assert death["usedBytes"] > 0.85 * LIMIT_BYTES, "the last sample is an early one"
    assert death["sites"], "what its tasks held"
    assert death["advice"]
