"""An executor that runs out of direct buffers, because another executor sends it a large block of a shuffle.

Costs half a minute: executors have to start, and a shuffle larger than the bound has to be made.
"""

import re

import pytest
from conftest import LOCAL_CLUSTER

BLOCK_BYTES = 190 << 20  # Spark holds those up to 200 MiB in direct buffers
BOUND = "-XX:MaxDirectMemorySize=200m"  # executors of Spark 4 don't start with 150
CONF = {
    "spark.executor.extraJavaOptions": BOUND,
    "spark.shuffle.readHostLocalDisk": "false",  # as if they were on two hosts
    "spark.shuffle.compress": "false",
    "spark.shuffle.io.retryWait": "200ms",
}


@pytest.fixture(scope="module")
def run_with(shared_run):
    def run(conf):
        return shared_run("shuffles.py", BLOCK_BYTES, conf=CONF | conf, master=LOCAL_CLUSTER).demand_success()

    return run


@pytest.fixture(scope="module")
def bounded(run_with):
    return run_with({})


@pytest.mark.one_line("4")
def test_what_held_the_direct_buffers(bounded, line):
    assert bounded.result() == 2 * BLOCK_BYTES
    death = bounded.report()["postMortems"][0]  # where the task runs next it may happen again
    assert (death["process"], death["outOfMemory"]) == ("jvm", True)
    assert death["exitCode"] == {"3.5": 50, "4": 52}[line], "Spark's own words for it"
    told = re.search(
        r"task (\d+) \(stage 1\) failed when direct buffers held (\d+\.\d) MiB of 200\.0 MiB and (\S+) MiB more were",
        death["headline"],
    )
    assert told, death["headline"]
    assert death["taskAttemptId"] == int(told[1])
    held, asked = float(told[2]), float(told[3])
    assert 200 - asked < held <= 200
    fetched = [site for site in death["sites"] if site.get("thread") == "block transfer"]
    assert {site["origin"] for site in fetched} == {"jvm-offheap"}
    bytes_ = sum(site["liveAtPeakBytes"] for site in fetched)
    assert 16 < bytes_ / (1 << 20) < 200, "looked at ten times a second, while the block came"
    assert death["headline"].split(":")[0] in " ".join(bounded.stderr.split())
    to_file, larger = death["advice"]
    assert (to_file["conf"], to_file["from"]) == ("spark.network.maxRemoteBlockSizeFetchToMem", "200m")
    assert to_file["to"] == "50m"
    assert (larger["conf"], larger["from"]) == ("spark.executor.extraJavaOptions", BOUND)


@pytest.mark.full
@pytest.mark.parametrize("number", [0, 1], ids=["to-a-file", "more-buffers"])
def test_with_its_advice_applied_the_same_job_passes(bounded, run_with, number):
    advice = bounded.report()["postMortems"][0]["advice"][number]
    passed = run_with({advice["conf"]: advice["to"]})
    assert passed.result() == 2 * BLOCK_BYTES
    assert passed.report()["postMortems"] == []
