"""Executors in containers of YARN: killed by its NodeManager for physical memory, and what the advice comes to."""

import contextlib
import pathlib
import re

import memory_cgroups
import pytest
from conftest import BESIDE_BYTES, BUILD, sites_at
from mini_yarn import MiniYarn

JOB = "containers.py"
BLOCK_BYTES, BLOCKS = 5_100_013, 130
CONTAINER_BYTES = (512 + 384) << 20  # the heap, and Spark's least overhead
OVERHEAD = "spark.executor.memoryOverhead"


LARGEST = "yarn.scheduler.maximum-allocation-mb"


@pytest.fixture
def spark(spark, line):
    """As shipped: YARN uploads its zips, and takes no folders for them."""
    return spark.as_shipped()


@pytest.fixture
def yarn(request, tmp_path):
    """Its parameter: largest_mib, of the containers that it grants; group_bytes, of a control group for all of it."""
    options = dict(getattr(request, "param", {}))
    group_bytes = options.pop("group_bytes", None)
    jars = BUILD.parent / "third-party/mini-yarn"
    with contextlib.ExitStack() as ending:
        if group_bytes:
            options["prefix"] = memory_cgroups.entering(ending.enter_context(memory_cgroups.container(group_bytes)))
        cluster = MiniYarn(pathlib.Path(__file__).parent, jars, tmp_path, node_mib=4096, **options)
        ending.callback(cluster.stop)
        yield cluster


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


PYSPARK_MEMORY, PYSPARK_MIB = "spark.executor.pyspark.memory", 1400  # it bounds a worker's address space, too
IS_PYTHON = "spark.yarn.isPython"


@pytest.mark.full
@pytest.mark.one_line
def test_memory_that_yarn_adds_only_for_python(spark, spark_run, yarn, tmp_path):
    """spark-submit says so of a script. It doesn't of Spark Connect's server; here the session itself takes it back. A
    minute: YARN, twice."""
    conf = {**conf_of(spark, cores=1), PYSPARK_MEMORY: f"{PYSPARK_MIB}m"}
    environment = {"HADOOP_CONF_DIR": str(yarn.conf)}.items()

    def submitted(is_python):
        words = ("alone", tmp_path, f"{IS_PYTHON}={is_python}")
        run = spark_run(JOB, *words, master="yarn", conf=conf, environment=environment)
        report = run.report()
        executors = [executor for executor in report["executors"] if executor["id"] != "driver"]
        regions = [region for executor in executors for region in executor["regions"] if region["name"] == "pyspark"]
        return run, report["postMortems"], {region["budgetBytes"] or 0 for region in regions}

    run, (death,), reserved = submitted("false")
    assert run.status != 0
    assert (death["process"], death["outOfMemory"]) == ("container", True)
    assert (death["limitBytes"], reserved) == (CONTAINER_BYTES, {0}), "as if it had not been asked for"
    (advice,) = [each for each in death["advice"] if each["conf"] in (IS_PYTHON, OVERHEAD)]
    assert (advice["conf"], advice["from"], advice["to"]) == (IS_PYTHON, "false", "true")
    assert f"no room for the 1.4 GiB of {PYSPARK_MEMORY}" in advice["because"]

    passed, deaths, reserved = submitted(advice["to"])
    assert passed.demand_success().result() == BLOCKS
    assert deaths == []
    assert reserved == {PYSPARK_MIB << 20}


@pytest.mark.full
@pytest.mark.parametrize("yarn", [{"largest_mib": 960}], indirect=True)
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
        "spark.executor.memoryOverhead": "2500m",
        "spark.scheduler.minRegisteredResourcesRatio": "0",
        "spark.task.maxFailures": "1",
        "spark.yarn.jars": f"local:{spark.home}/jars/*",
    }
    environment = {"HADOOP_CONF_DIR": str(yarn.conf)}.items()

    def submitted(overhead):
        return spark_run("profiled.py", overhead, master="yarn", conf=conf, environment=environment)

    run = submitted("384m")
    assert run.status != 0
    report = run.report()
    (death,) = report["postMortems"]
    assert (death["process"], death["outOfMemory"]) == ("container", True)
    assert death["limitBytes"] == CONTAINER_BYTES
    assert report["counters"]["earlyWords"] >= 1, "near what its own profile was granted, a third of the default's"
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
NODES_BYTES = 5 << 30  # of the group that the NodeManager is in, with all of its containers


@pytest.mark.full
@pytest.mark.one_line
@pytest.mark.parametrize(
    ("yarn", "advised"),
    [
        pytest.param({"group_bytes": NODES_BYTES}, True, id="room"),
        pytest.param({"largest_mib": NO_ROOM_MIB}, False, id="no-room"),
    ],
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
    assert driver["hostIsGroup"] is advised
    assert (driver["hostMemoryBytes"] == NODES_BYTES) is advised, (
        "what others use there doesn't count against its own grant"
    )
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
