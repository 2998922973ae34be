"""Memory that spark.executor.pyspark.memory refuses to a worker: what it had reserved, and what the setting must be."""

import re

import pytest
from conftest import line_of

SETTING = "spark.executor.pyspark.memory"
LIMIT_BYTES = 1600 << 20
RESERVED_BYTES = 1_500_000_011
ONE_ATTEMPT = "local[2,1]"


pytestmark = pytest.mark.one_line("4")


@pytest.fixture(scope="module")
def run(shared_run):
    return shared_run("deaths.py", "refused", master=ONE_ATTEMPT, conf={SETTING: "1600m"}).demand_success()


def test_a_refusal_is_told(run):
    assert run.result() is True, "the task failed of a MemoryError, which is the user's to see"
    (death,) = run.report()["postMortems"]
    assert (death["process"], death["outOfMemory"], death["exitCode"]) == ("python-worker", True, None)
    space = death["addressSpace"]
    assert space["limitBytes"] == LIMIT_BYTES
    assert 0 <= space["refusedBytes"] - RESERVED_BYTES <= 1 << 20, "malloc asks the kernel for whole pages"
    assert LIMIT_BYTES - RESERVED_BYTES <= space["virtualBytes"] <= LIMIT_BYTES
    assert space["residentBytes"] < space["virtualBytes"]
    place = f"deaths.py:{line_of('deaths.py', 'refused')} "
    assert place in death["headline"]
    assert "was refused memory" in death["headline"]
    assert death["headline"].split(";")[0] in " ".join(run.stderr.split())
    (advice,) = death["advice"]
    assert (advice["conf"], advice["from"]) == (SETTING, "1600m")


def test_small_objects_that_have_no_room(spark_run):
    run = spark_run("deaths.py", "refused objects", master=ONE_ATTEMPT, conf={SETTING: "600m"}).demand_success()
    assert run.result() is True
    (death,) = run.report()["postMortems"]
    assert (death["process"], death["outOfMemory"], death["exitCode"]) == ("python-worker", True, None)
    space = death["addressSpace"]
    assert space["limitBytes"] == 600 << 20
    assert space["refusedBytes"] <= 2 << 20, "an arena, or what malloc wanted for one object"
    assert space["virtualBytes"] > 598 << 20
    line = line_of("deaths.py", "refused object")
    assert re.search(rf"deaths\.py:({line - 1}|{line}) ", death["headline"]), "the number, or what holds it"


@pytest.mark.full
def test_with_its_advice_applied_the_same_job_passes(run, spark_run):
    ((advice,),) = [death["advice"] for death in run.report()["postMortems"]]
    passed = spark_run("deaths.py", "refused", master=ONE_ATTEMPT, conf={SETTING: advice["to"]}).demand_success()
    assert passed.result() == 1000
    assert passed.report()["postMortems"] == []
