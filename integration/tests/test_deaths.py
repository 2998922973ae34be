"""Processes that really die: the post-mortem says who, why, which line, and what to change; and why not.

Kills for memory are the kernel's own, in a memory cgroup that the test makes. That needs root and a version 1 memory
hierarchy; where either is missing these tests are skipped.
"""

import memory_cgroups
import pytest
from conftest import BESIDE_BYTES, BUILD, LOCAL_CLUSTER, Standalone, line_of, sites_at
from memory_cgroups import entering, kernel_kills, kernel_kills_on_host, more_than_one
from reruns import played

LIMIT_BYTES = 1_100_001_280  # whole pages
SCRATCH_BYTES = 1_299_999_989
HELD_BYTES = 61_999_993 + 1
LEFT_BYTES = 41_999_989 + 1


@pytest.fixture
def container():
    """A memory cgroup of LIMIT_BYTES."""
    with memory_cgroups.container(LIMIT_BYTES) as folder:
        yield folder


@pytest.fixture
def contained(spark, container, tmp_path):
    """A standalone cluster whose worker, and all that it starts, lives in the container."""
    cluster = Standalone(spark.as_shipped(), tmp_path, workers=[entering(container)])
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
def test_a_kill_at_low_use_is_not_memory(spark_run, tmp_path):
    boxes = tmp_path / "boxes"
    boxes.mkdir(mode=0o700)
    conf = {"spark.executor.heartbeatInterval": "1s", "spark.memprof.snapshot.seconds": "1"}
    conf |= {"spark.memprof.box.dir": str(boxes)}
    before = kernel_kills_on_host()
    run = spark_run("killed.py", "successor", master=LOCAL_CLUSTER, conf=conf).demand_success()
    (death,) = run.report()["postMortems"]
    assert death["process"] == "jvm"
    assert death["exitCode"] == 137
    assert death["outOfMemory"] is False
    if kernel_kills_on_host() == before:  # else the kernel killed something of another test, and nobody knows
        assert "found that the kernel killed nothing" in death["how"]
        assert "not of memory" in death["headline"]
    assert death["advice"] == []
    assert death["usedBytes"] < death["limitBytes"] / 2
    assert death["lastSampleAgeMs"] >= 0
    (block,) = sites_at(death["sites"], "killed.py", "block")
    assert block["allocatedBytes"] >= 2_100_012
    demand_told(run, [death])
    assert not list(boxes.rglob("*.box"))


@pytest.mark.one_line("4")
def test_python_workers_that_die_by_themselves_and_by_the_kernel(spark_run, contained, container, record_property):
    conf = {"spark.executor.memory": "512m", "spark.executor.cores": "1", "spark.cores.max": "1"}

    def scene():
        before = kernel_kills(container)
        run = spark_run(
            "deaths.py", "in-worker,crash", BUILD / "demo/libscratch.so", master=contained.master, conf=conf
        )
        run.demand_success()
        assert run.result() == [1000, 1000]
        return run, kernel_kills(container) - before

    run, _ = played(scene, lambda outcome: more_than_one(outcome[-1]), record_property)
    deaths = run.report()["postMortems"]
    death, by_itself = sorted(deaths, key=lambda each: each["timeMs"])
    assert by_itself["process"] == "python-worker"
    assert by_itself["outOfMemory"] is False
    assert by_itself["advice"] == []
    (site,) = sites_at(by_itself["sites"], "deaths.py", "held")
    assert 0 <= site["liveAtPeakBytes"] - HELD_BYTES < BESIDE_BYTES
    assert "leftByEarlierTasks" not in site
    (left,) = sites_at(by_itself["sites"], "deaths.py", "left")
    assert left["leftByEarlierTasks"] is True
    assert 0 <= left["liveAtPeakBytes"] - LEFT_BYTES < BESIDE_BYTES
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
    assert f"; deaths.py:{line_of('deaths.py', 'scratch')} scratch.<locals>.enrich held 1.2 GiB" in death["headline"]
    regions = {region["name"]: region for region in death["regions"]}
    assert 0 < regions["overhead"]["bytes"] < LIMIT_BYTES, "Python's processes"
    demand_told(run, deaths)
    (executor,) = [each for each in run.report()["executors"] if each["id"] == death["executorId"]]
    demand_rise(executor["timeline"], death)


def demand_rise(line, death):
    """The samples before the worker's end have arrived, and say that it was the worker that grew.

    How full the container was at the last of them is a matter of how fast the kernel was.
    """
    series = {each["name"]: each["bytes"] for each in line["series"]}
    before = [
        index
        for index, time_ms in enumerate(line["timesMs"])
        if time_ms <= death["timeMs"] and death["pid"] in dict(line["workers"][index])
    ]
    fullest = max(before, key=lambda index: series["used"][index])
    print(f"the fullest sample: {series['used'][fullest] / LIMIT_BYTES:.0%} of the limit")
    assert series["limit"][fullest] == LIMIT_BYTES
    held = dict(line["workers"][fullest])[death["pid"]]
    assert held > min(series["python.workers"][index] for index in before)
    assert line["stages"][fullest] == [[death["stageId"], 1]]
    assert line["runningTasks"][fullest] == 1
    assert series["python.workers"][-1] < held, "the worker is gone, its successor is small"


@pytest.mark.alone  # it fills its container within a second: beside others the last words come too late
@pytest.mark.one_line("4")
@pytest.mark.parametrize(
    "tasks",
    [
        pytest.param(2, id="running"),
        pytest.param(24, id="ended", marks=pytest.mark.full),
        pytest.param("beside", id="beside-a-worker", marks=pytest.mark.full),
    ],
)
def test_the_kernel_kills_an_executor(spark_run, contained, container, tasks):
    """That holds what its tasks have cached, who still run, or most of whom have ended; or beside a Python worker."""
    conf = {
        "spark.executor.memory": "512m",
        "spark.executor.cores": "2",
        "spark.memory.offHeap.enabled": "true",
        "spark.memory.offHeap.size": "3g",
        "spark.task.maxFailures": "1",
        "spark.memprof.interval": "64k",  # so that samples of the heap are sure to be among the last words
    }
    run = spark_run("deaths.py", "in-jvm", tasks, master=contained.master, conf=conf)
    run.demand_success()
    assert kernel_kills(container) >= 1
    death = run.report()["postMortems"][0]
    assert death["process"] == "jvm"
    assert death["exitCode"] == 137
    assert death["outOfMemory"] is True
    assert death["limitBytes"] == LIMIT_BYTES
    assert death["pid"] in [each["pid"] for each in death["processes"] if each["kind"] == "jvm"]
    off_heap = [site for site in death["sites"] if site["origin"] == "jvm-offheap"]
    assert off_heap
    assert any(frame["function"] for frame in off_heap[0]["frames"]), "where they were asked for"
    held = sum(site["liveAtPeakBytes"] for site in off_heap)
    rest = held - off_heap[0]["liveAtPeakBytes"]
    assert off_heap[0]["liveAtPeakBytes"] > rest, "the cached columns, asked for in one place"
    used = death["usedBytes"]
    print(f"the last sample: {used / LIMIT_BYTES:.0%} of the limit; off-heap sites: {held / LIMIT_BYTES:.0%} of it")
    assert used > LIMIT_BYTES / 3, "a third of it is there when the first early word leaves"
    assert 0 < held <= used
    heap = [site for site in death["sites"] if site["origin"] == "jvm-heap"]
    assert heap
    assert any(frame["function"] for frame in heap[0]["frames"])
    regions = {region["name"]: region for region in death["regions"]}
    assert 0 < regions["heap"]["bytes"] <= regions["heap"]["budgetBytes"] <= 512 << 20
    print(f"the region: {(regions['offHeap']['bytes'] - held) / LIMIT_BYTES:+.0%}, read a moment before")
    assert 0 < regions["offHeap"]["bytes"] <= LIMIT_BYTES
    assert regions["offHeap"]["budgetBytes"] == 3 << 30
    if tasks == 24:
        assert [site for site in death["sites"] if site["tasks"] > 2], "of tasks that have ended"
    if tasks == "beside":
        (worker,) = [each for each in death["processes"] if each["kind"] == "python-worker"]
        assert HELD_BYTES < worker["bytes"] < 2.5 * HELD_BYTES, "what it held, and itself"
        (site,) = sites_at(death["sites"], "deaths.py", "beside")
        assert 0 <= site["liveAtPeakBytes"] - HELD_BYTES < BESIDE_BYTES
    assert death["advice"]
