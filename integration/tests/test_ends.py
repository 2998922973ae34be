"""Ends that are no deaths: of programs that do not stop their SparkContext, and of a decommissioned executor."""

import pytest
from conftest import LOCAL_CLUSTER, demand_blocks, demand_no_death, sites_at

JOB = "ends.py"
BLOCK_BYTES = 7_300_019

WAYS = {"left": 0, "raised": 1, "left-running": 0}  # and spark-submit's status


def demand_held(report, tasks):
    (site,) = sites_at(report["stages"][0]["sites"], JOB, "held")
    demand_blocks(site, BLOCK_BYTES, tasks=tasks)


@pytest.mark.one_line("4")
@pytest.mark.parametrize(
    "way", ["left", *(pytest.param(way, marks=pytest.mark.full) for way in ("raised", "left-running"))]
)
def test_a_program_that_ends_without_a_stop(spark_run, way):
    run = spark_run(JOB, way, master=LOCAL_CLUSTER)
    assert run.status == WAYS[way], run.tail()
    assert run.result() == 4 * BLOCK_BYTES
    demand_held(demand_no_death(run), tasks=4)


@pytest.mark.full
@pytest.mark.one_line("4")
@pytest.mark.parametrize("way", WAYS)
def test_the_same_on_a_standalone_cluster(spark_run, standalone, way):
    run = spark_run(JOB, way, master=standalone.master)
    run.work = standalone.work
    assert run.status == WAYS[way], run.tail()
    demand_held(demand_no_death(run), tasks=4)


@pytest.mark.full
def test_a_decommissioned_executor(spark_run):
    conf = {"spark.decommission.enabled": "true", "spark.storage.decommission.enabled": "true"}
    run = spark_run(JOB, "decommissioned", master=LOCAL_CLUSTER, conf=conf).demand_success()
    report = demand_no_death(run)
    demand_held(report, tasks=4)
    (reason,) = [executor["removedReason"] for executor in report["executors"] if executor["id"] == "0"]
    assert reason in ("Command exited with code 0", "Executor decommission: its host is to go")
