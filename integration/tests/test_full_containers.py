"""Containers that are full of what is nobody's fault alone, and executors that are let go: what is told of either.

Kills for memory are the kernel's own, in a memory cgroup that the test makes; skipped with the reason where it can't.
"""

import re

import pytest
from conftest import BESIDE_BYTES, LOCAL_CLUSTER, Standalone, demand_blocks, demand_no_death, sites_at
from memory_cgroups import container, entering, group_within, kernel_kills, more_than_one
from reruns import played

pytestmark = pytest.mark.one_line

JOB = "containers.py"
ONE_CORE = {"spark.executor.memory": "512m", "spark.executor.cores": "1", "spark.cores.max": "1"}
BLOCK_BYTES, WORKERS = 5_100_013, 4
TWICE_BYTES = 300_000_000
SMALL_BYTES = 1_100_001_280  # whole pages
SHARED_BYTES = 2_600_001_536
LARGE_BYTES = 2_000_003_072  # so much that each worker outgrows the JVM, which the kernel would kill first else


@pytest.mark.full
@pytest.mark.parametrize("cramped", [SMALL_BYTES], indirect=True)
@pytest.mark.alone
def test_pages_of_files_are_no_use_of_memory(spark_run, cramped, tmp_path, record_property):
    cluster, container = cramped
    conf = ONE_CORE | {"spark.executor.heartbeatInterval": "1s", "spark.memprof.snapshot.seconds": "1"}

    def scene():
        run = spark_run(JOB, "page-cache", tmp_path, master=cluster.master, conf=conf).demand_success()
        stat = dict(line.split() for line in (tmp_path / "stat").read_text().splitlines())
        return run, int(stat["total_active_file"]), int(stat["total_inactive_file"])

    def other(outcome):
        """The kernel decides which pages of a file that was read twice it takes for active."""
        _, active, _ = outcome
        return "" if active > TWICE_BYTES / 2 else f"only {active} bytes of the file that was read twice were active"

    run, active, inactive = played(scene, other, record_property)
    assert run.result() == BLOCK_BYTES
    assert int((tmp_path / "used").read_text()) > 0.98 * SMALL_BYTES, "the container was full"
    assert kernel_kills(container) == 0
    assert "earlyWords" not in run.report()["counters"], "nothing was near the limit"
    (death,) = run.report()["postMortems"]
    assert (death["process"], death["exitCode"], death["outOfMemory"]) == ("jvm", 137, False)
    assert "not of memory" in death["headline"]
    assert death["limitBytes"] == SMALL_BYTES
    assert death["usedBytes"] < 0.75 * SMALL_BYTES, "without what the kernel would have given back"
    without_cache = int((tmp_path / "used").read_text()) - active - inactive
    assert abs(death["usedBytes"] - without_cache) < TWICE_BYTES / 5, "by the kernel's own figures"
    assert death["advice"] == []


@pytest.mark.parametrize("cramped", [LARGE_BYTES], indirect=True)
@pytest.mark.alone
def test_workers_that_are_too_much_together(spark_run, cramped, tmp_path):
    cluster, container = cramped
    conf = {"spark.executor.memory": "512m", "spark.executor.cores": str(WORKERS), "spark.cores.max": str(WORKERS)}
    run = spark_run(JOB, "together", tmp_path, master=cluster.master, conf=conf).demand_success()
    deaths = run.report()["postMortems"]
    assert len(deaths) == kernel_kills(container) >= 1
    death = deaths[0]
    assert (death["process"], death["outOfMemory"]) == ("python-worker", True)
    workers = [each for each in death["processes"] if each["kind"] == "python-worker"]
    assert len(workers) == WORKERS
    assert death["pid"] in [each["pid"] for each in workers]
    shares = [each["bytes"] for each in workers]
    assert max(shares) < LARGE_BYTES / 3, "none was too large alone"
    assert sum(shares) > LARGE_BYTES / 2
    assert re.search(rf"; {WORKERS} Python workers held \S+ [GM]iB together, this one \S+ MiB$", death["headline"])
    (held,) = sites_at(death["sites"], JOB, "grown")
    assert held["liveAtPeakBytes"] >= 20 * (BLOCK_BYTES + 1)
    assert held["liveAtPeakBytes"] % (BLOCK_BYTES + 1) < BESIDE_BYTES
    assert death["advice"]


@pytest.mark.full
@pytest.mark.parametrize("cramped", [LARGE_BYTES], indirect=True)
@pytest.mark.alone
def test_a_program_that_a_task_had_started(spark_run, cramped, tmp_path, record_property):
    """All that the task knows is a status of 137, and its worker ends in order."""
    cluster, container = cramped

    def scene():
        before = kernel_kills(container)
        run = spark_run(JOB, "program", tmp_path, master=cluster.master, conf=ONE_CORE).demand_success()
        return run, kernel_kills(container) - before

    run, kills = played(scene, lambda outcome: more_than_one(outcome[-1]), record_property)
    assert (run.result(), kills) == (1, 1)
    assert "returned non-zero exit status 137" in run.stderr
    (death,) = run.report()["postMortems"]
    assert (death["program"], death["startedByTask"], death["outOfMemory"]) == ("tail", True, True)
    assert death["headline"].startswith(
        f"Program tail {death['pid']} of executor 0 (started by task 0, stage 0) was killed for its memory:"
    )
    (tail,) = [process for process in death["processes"] if process["kind"] == "program"]
    assert (tail["name"], tail["pid"]) == ("tail", death["pid"])
    assert 0.5 * LARGE_BYTES < tail["bytes"] < LARGE_BYTES
    assert re.search(r"; it held 1\.\d GiB", death["headline"])
    assert "oom_kill counter of its cgroup rose by 1, as its executor found" in death["how"]
    assert "in programs beside them" in death["advice"][0]["because"]


@pytest.fixture
def side_by_side(spark, tmp_path):
    """(cluster, groups): two workers of two cores, each in a memory cgroup of its own inside one that limits both."""
    spark = spark.as_shipped()
    with (
        container(SHARED_BYTES) as around,
        group_within(around, "one") as one,
        group_within(around, "two") as two,
    ):
        cluster = Standalone(spark, tmp_path, workers=[entering(one), entering(two)])
        yield cluster, (around, one, two)
        cluster.stop()


@pytest.mark.full
@pytest.mark.alone
def test_executors_that_are_too_much_together(spark_run, side_by_side, tmp_path):
    """Half a minute: two executors, and a container that they fill, are what it is about."""
    cluster, groups = side_by_side
    conf = {"spark.executor.memory": "512m", "spark.executor.cores": "2", "spark.cores.max": str(WORKERS)}
    run = spark_run(JOB, "together", tmp_path, master=cluster.master, conf=conf).demand_success()
    report = run.report()
    assert len([executor for executor in report["executors"] if executor["id"] != "driver"]) >= 2
    deaths = report["postMortems"]
    assert len(deaths) == sum(map(kernel_kills, groups)) >= 1
    assert not any("oom_kill counter" in each["how"] for each in deaths), "the kill may have been the other executor's"
    death = deaths[0]
    assert (death["process"], death["outOfMemory"]) == ("python-worker", True)
    assert death["limitBytes"] == SHARED_BYTES
    assert death["usedBytes"] > 0.9 * SHARED_BYTES, "with what the other executor used"
    assert sum(each["bytes"] for each in death["processes"]) < 0.7 * SHARED_BYTES, "alone it would have fitted"
    assert [executor["limitShared"] for executor in report["executors"] if executor["id"] in "01"] == [True, True]
    assert [advice["conf"] for advice in death["advice"]] == [None]
    advice = death["advice"][0]
    assert "for all that share it, or fewer executors there: " in advice["because"]
    assert "GiB of what shares the limit + 10 %" in advice["because"]


@pytest.mark.full
@pytest.mark.parametrize("cramped", [SMALL_BYTES], indirect=True)
@pytest.mark.alone
def test_a_container_that_is_gone_at_once_with_its_disk(spark_run, cramped, tmp_path):
    """As a pod's end is: nobody is left to read a box or the kernel's counter, all is known from what was sent."""
    cluster, container = cramped
    boxes = tmp_path / "boxes"
    boxes.mkdir()
    conf = ONE_CORE | {"spark.memprof.box.dir": str(boxes)}
    run = spark_run(JOB, "gone", tmp_path, master=cluster.master, conf=conf).demand_success()
    blocks = run.result()
    assert blocks > 20
    assert kernel_kills(container) == 0
    assert run.report()["counters"]["earlyWords"] >= 1
    (death,) = run.report()["postMortems"]
    assert (death["process"], death["exitCode"], death["outOfMemory"]) == ("jvm", None, True)
    assert "was killed for its memory" in death["headline"]
    assert death["limitBytes"] == SMALL_BYTES
    assert 0.9 * SMALL_BYTES < death["usedBytes"] < SMALL_BYTES
    assert death["lastSampleAgeMs"] > 0
    assert {each["kind"] for each in death["processes"]} >= {"jvm", "python-daemon", "python-worker"}
    assert death["pid"] in [each["pid"] for each in death["processes"] if each["kind"] == "jvm"]
    (worker,) = [each for each in death["processes"] if each["kind"] == "python-worker"]
    assert worker["bytes"] > 0.9 * blocks * BLOCK_BYTES
    regions = {region["name"]: region for region in death["regions"]}
    assert regions["overhead"]["bytes"] < SMALL_BYTES
    (held,) = sites_at(death["sites"], JOB, "grown and gone")
    assert 0.9 * blocks * (BLOCK_BYTES + 1) < held["liveAtPeakBytes"] < blocks * (BLOCK_BYTES + 1) + BESIDE_BYTES
    assert death["advice"]


def test_an_executor_that_was_let_go_is_no_death(spark_run, tmp_path):
    conf = {
        "spark.dynamicAllocation.enabled": "true",
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.initialExecutors": "2",
        "spark.dynamicAllocation.executorIdleTimeout": "2s",
        "spark.scheduler.minRegisteredResourcesRatio": "0",  # the first may be let go before the other is there
    }
    run = spark_run(JOB, "idle", tmp_path, master=LOCAL_CLUSTER, conf=conf).demand_success()
    assert run.result() == [BLOCK_BYTES] * 2
    report = demand_no_death(run)
    removed = [executor["removedReason"] for executor in report["executors"] if executor["removedReason"]]
    assert removed, "they were let go"
    (stage,) = report["stages"]
    (site,) = sites_at(stage["sites"], JOB, "let go")
    demand_blocks(site, BLOCK_BYTES, tasks=2)
    assert stage["otherAttempts"]["lost"] == 0
