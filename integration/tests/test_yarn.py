"""Executors in containers of YARN: killed by its NodeManager for physical memory, and what the advice comes to."""

import pathlib
import re

import pytest
from conftest import BESIDE_BYTES, BUILD, sites_at
from mini_yarn import MiniYarn

JOB = "containers.py"
BLOCK_BYTES, BLOCKS = 5_100_013, 130
CONTAINER_BYTES = (512 + 384) << 20  # the heap, and Spark's least overhead
OVERHEAD = "spark.executor.memoryOverhead"


LARGEST = "yarn.scheduler.maximum-allocation-mb"


@pytest.fixture
def yarn(request, tmp_path):
    """Its parameter: the mebibytes of the largest container that it grants."""
    largest = getattr(request, "param", None)
    jars = BUILD.parent / "third-party/mini-yarn"
    cluster = MiniYarn(pathlib.Path(__file__).parent, jars, tmp_path, node_mib=4096, largest_mib=largest)
    yield cluster
    cluster.stop()


def conf_of(spark, cores):
    """Of one executor, whose first death is the job's end."""
    return {
        "spark.executor.instances": "1",
        "spark.executor.cores": str(cores),
        "spark.executor.memory": "512m",
        "spark.task.maxFailures": "1",
        "spark.yarn.jars": f"local:{spark.home}/jars/*",
    }


@pytest.mark.full
@pytest.mark.one_line
def test_a_container_that_yarn_kills_and_the_advice_that_lets_the_same_job_pass(spark, spark_run, yarn, tmp_path):
    conf = conf_of(spark, cores=1)

    def submitted(**settings):
        environment = {"HADOOP_CONF_DIR": str(yarn.conf)}.items()
        return spark_run(JOB, "alone", tmp_path, master="yarn", conf={**conf, **settings}, environment=environment)

    run = submitted()
    assert run.status != 0
    report = run.report()
    (death,) = report["postMortems"]
    assert (death["process"], death["outOfMemory"]) == ("container", True)
    assert report["counters"]["earlyWords"] >= 1, "near what YARN grants it says more"
    assert "Container killed by YARN for exceeding physical memory limits" in death["reason"], "YARN's own words"
    assert death["limitBytes"] == CONTAINER_BYTES
    assert 0.95 * CONTAINER_BYTES < death["usedBytes"] < 1.1 * CONTAINER_BYTES
    assert {each["kind"] for each in death["processes"]} >= {"jvm", "python-worker"}
    (held,) = sites_at(death["sites"], JOB, "grown alone")
    assert held["liveAtPeakBytes"] > CONTAINER_BYTES / 2
    assert held["liveAtPeakBytes"] % (BLOCK_BYTES + 1) < BESIDE_BYTES
    told = run.stderr[run.stderr.index("sparkmemprof: post-mortem") :]
    assert death["headline"] in " ".join(told.split())
    assert "grow (containers.py:" in told, "what had left before the container was gone"
    warned = [line for line in run.stderr.splitlines() if " WARN " in line and "sparkmemprof" in line]
    assert f"{death['headline']}; the post-mortem above is in the report in {run.reports}/" in warned[-1]

    (advice,) = [each for each in death["advice"] if each["conf"] == OVERHEAD]
    assert advice["from"] == "384m"
    passed = submitted(**{OVERHEAD: advice["to"]}).demand_success()
    assert passed.result() == BLOCKS
    assert passed.report()["postMortems"] == []


@pytest.mark.full
@pytest.mark.parametrize("yarn", [960], indirect=True)
def test_no_advice_beyond_what_yarn_grants(spark, spark_run, yarn, tmp_path):
    """Four workers at once are too much, and no larger container is to be had: fewer of them, and what these need."""
    conf = conf_of(spark, cores=4)
    environment = {"HADOOP_CONF_DIR": str(yarn.conf)}.items()
    run = spark_run(JOB, "together", tmp_path, master="yarn", conf=conf, environment=environment)
    assert run.status != 0
    (death,) = run.report()["postMortems"]
    assert (death["process"], death["outOfMemory"]) == ("container", True)
    (cores,) = [each for each in death["advice"] if each["conf"] == "spark.executor.cores"]
    assert cores["from"] == "4"
    assert 1 <= int(cores["to"]) <= 3
    assert f"{LARGEST} grants 960.0 MiB" in cores["because"]
    container = re.search(r" fit into (\S+) MiB", cores["because"])
    assert float(container[1]) <= 960
    # Fewer may need no more than there is.
    advised = [each["to"] for each in death["advice"] if each["conf"] == OVERHEAD]
    assert all(int(to.removesuffix("m")) <= 960 - 512 for to in advised)


@pytest.mark.full
@pytest.mark.one_line
def test_the_overhead_of_a_resource_profile(spark, spark_run, yarn):
    """What its profile asks for makes its container, and the advice is about that. A minute: YARN, twice."""
    conf = {
        "spark.dynamicAllocation.enabled": "true",  # which profiles demand
        "spark.dynamicAllocation.shuffleTracking.enabled": "true",
        "spark.dynamicAllocation.initialExecutors": "0",
        "spark.executor.memory": "600m",  # none of these is the profile's
        "spark.executor.memoryOverhead": "500m",
        "spark.scheduler.minRegisteredResourcesRatio": "0",
        "spark.task.maxFailures": "1",
        "spark.yarn.jars": f"local:{spark.home}/jars/*",
    }
    environment = {"HADOOP_CONF_DIR": str(yarn.conf)}.items()

    def submitted(overhead):
        return spark_run("profiled.py", overhead, master="yarn", conf=conf, environment=environment)

    run = submitted("384m")
    assert run.status != 0
    (death,) = run.report()["postMortems"]
    assert (death["process"], death["outOfMemory"]) == ("container", True)
    assert death["limitBytes"] == CONTAINER_BYTES
    advised = [re.match(r"ask for memoryOverhead\(\"(\d+m)\"\) (.*)", each["because"]) for each in death["advice"]]
    ((overhead, words),) = [found.groups() for found in advised if found]
    assert re.match(r"instead of 384m in ResourceProfile [1-9]\d* \(ExecutorResourceRequests\), ", words)
    assert f"which counts there instead of {OVERHEAD}: " in words
    assert not [each for each in death["advice"] if each["conf"] == OVERHEAD], "it does nothing there"
    passed = submitted(overhead).demand_success()
    assert passed.result() == BLOCKS
    assert passed.report()["postMortems"] == []


DRIVER_MIB, DRIVER_OVERHEAD_MIB = 600, 600  # on Spark 4 it holds 410 beside its heap, 124 of them Python
GRANTED_MIB = 1216  # in steps of 64, MiniYarn's least allocation
NO_ROOM_MIB = 1210


@pytest.mark.full
@pytest.mark.one_line
@pytest.mark.parametrize(
    ("yarn", "advised"),
    [pytest.param(None, True, id="room"), pytest.param(NO_ROOM_MIB, False, id="no-room")],
    indirect=["yarn"],
)
def test_a_driver_in_cluster_mode_that_runs_out_of_heap(spark, spark_run, yarn, advised):
    """It has a container of YARN's, as large as the settings ask for, and no advice goes beyond what YARN grants."""
    conf = conf_of(spark, cores=1) | {
        "spark.submit.deployMode": "cluster",
        "spark.driver.memory": f"{DRIVER_MIB}m",
        "spark.driver.memoryOverhead": f"{DRIVER_OVERHEAD_MIB}m",
        "spark.driver.maxResultSize": "0",
        "spark.executor.memory": "500m",
    }
    environment = {"HADOOP_CONF_DIR": str(yarn.conf)}.items()
    run = spark_run("driver_heap.py", "collect", master="yarn", conf=conf, environment=environment)
    report = run.demand_success().report()
    (driver,) = [executor for executor in report["executors"] if executor["id"] == "driver"]
    assert driver["requestedBytes"] == (DRIVER_MIB + DRIVER_OVERHEAD_MIB) << 20
    assert driver["limitBytes"] == (GRANTED_MIB if advised else NO_ROOM_MIB) << 20, "as YARN rounds it up"
    assert (driver["limitSource"], driver["limitEnforced"]) == ("spark", True)
    assert {region["name"]: region["budgetBytes"] for region in driver["regions"]}[
        "overhead"
    ] == DRIVER_OVERHEAD_MIB << 20
    (death,) = report["postMortems"]
    assert (death["executorId"], death["process"], death["outOfMemory"]) == ("driver", "jvm", True)
    assert death["headline"].startswith("The driver ran out of heap")
    assert death["action"].startswith("collect at ")
    memory = [advice for advice in death["advice"] if advice["conf"] == "spark.driver.memory"]
    assert [advice["from"] for advice in memory] == ([f"{DRIVER_MIB}m"] if advised else [])
    if not advised:
        assert f"{LARGEST} grants {NO_ROOM_MIB / 1024:.1f} GiB at most" in death["advice"][-1]["because"]
