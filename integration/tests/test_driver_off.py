"""What executors' tasks took is the same, whether the driver is profiled beside them or not."""

import pytest
from conftest import LOCAL_CLUSTER, demand_blocks, demand_no_death, sites_at
from java_jobs import jars_with
from test_native_libraries import GIVEN_BACK_BYTES, HOG, KEPT_BYTES, functions

pytestmark = [pytest.mark.full, pytest.mark.one_line("4")]

JOB = "halves.py"
DRIVERS_BYTES = 23_000_009
PYTHON_BYTES, TASKS = 3_300_013, 4
HEAP_BYTES, DIRECT_BYTES, ARRAY_HEADER = 20_000_003, 10_000_019, 16
EXACT_BYTES = (
    2 << 20
)  # four intervals: native and off-heap blocks are exact from there, and of the heap's the estimate is the size
OF_PY4J = "noTaskHeapBytes: Py4J"


def blocks_of_the_jvm(report):
    """Of each stage's large blocks below the job's own method: the sites' figures."""
    return sorted(
        (
            stage["stageId"],
            stage["tasks"],
            site["origin"],
            site["allocations"],
            site["allocatedBytes"],
            site["liveAtPeakBytes"] or 0,
            site["liveAtEndBytes"] or 0,
        )
        for stage in report["stages"]
        for site in stage["sites"]
        if site["allocatedBytes"] >= EXACT_BYTES and "NativeHog.task" in functions(site, "java")
    )


def test_the_executors_sums_are_the_same(spark, spark_run, jar, tmp_path):
    """Half a minute: the application runs twice."""
    jars = jars_with("NativeHog", spark, jar, tmp_path)
    reports = {}
    for enabled in ("true", "false"):
        conf = {"spark.memprof.driver.enabled": enabled}
        run = spark_run(JOB, HOG, master=LOCAL_CLUSTER, jar=jars, conf=conf).demand_success()
        assert run.result() == [2, sum(range(40)) + 40 * PYTHON_BYTES]
        report = reports[enabled] = demand_no_death(run)
        (site,) = [site for stage in report["stages"] for site in sites_at(stage["sites"], JOB, "block of a half")]
        demand_blocks(site, PYTHON_BYTES, TASKS)
        assert sum(stage["tasks"] for stage in report["stages"]) == 2 + TASKS

    on, off = reports["true"], reports["false"]
    found = blocks_of_the_jvm(on)
    assert found == blocks_of_the_jvm(off)
    assert {(origin, bytes_) for _, _, origin, _, bytes_, _, _ in found} == {
        ("jvm-heap", HEAP_BYTES + ARRAY_HEADER + 5),
        ("jvm-offheap", DIRECT_BYTES),
        ("jvm-native", KEPT_BYTES),
        ("jvm-native", GIVEN_BACK_BYTES),
    }
    # The driver's own bytes are a row apart, and there where it is profiled.
    assert {executor["id"] for executor in on["executors"]} == {"driver", "0", "1"}
    assert {executor["id"] for executor in off["executors"]} == {"0", "1"}
    assert on["counters"][OF_PY4J] >= DRIVERS_BYTES
    assert OF_PY4J not in off["counters"]
