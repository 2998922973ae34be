"""Executors that end by an OutOfMemoryError of another pool than the heap."""

import re

import pytest
from conftest import LOCAL_CLUSTER
from java_jobs import jars_with

pytestmark = pytest.mark.one_line

BYTES = 300_000_007
PIECES_BYTES = 4 * 20_000_003
CONF = "spark.executor.extraJavaOptions"
BOUND = "-XX:MaxDirectMemorySize=200m"  # executors of Spark 4 don't start with 100


@pytest.fixture(scope="module")
def run_with(spark, jar, shared_run, tmp_path_factory):
    """A run of the job with jobs/DirectHog.java and these options of the executors' JVMs."""
    hog = jars_with("DirectHog", spark, jar, tmp_path_factory.mktemp("hog"))

    def run(options):
        conf = {CONF: options}
        return shared_run("deaths.py", "direct", BYTES, conf=conf, master=LOCAL_CLUSTER, jar=hog).demand_success()

    return run


@pytest.fixture(scope="module")
def bounded(run_with):
    return run_with(BOUND)


def test_direct_buffers_beyond_their_bound(bounded):
    run = bounded
    assert run.result() == 0
    (death,) = run.report()["postMortems"]
    assert (death["process"], death["exitCode"], death["outOfMemory"]) == ("jvm", 52, True)
    assert re.search(
        r"task 0 \(stage 0\) failed when direct buffers held (7[6-9]|8\d)\.\d MiB of 200\.0 MiB "
        r"and 286\.1 MiB more were asked for",
        death["headline"],
    )
    (held,) = [site for site in death["sites"] if "DirectHog.piece" in [frame["function"] for frame in site["frames"]]]
    assert (held["origin"], held["liveAtPeakBytes"], held["stageId"]) == ("jvm-offheap", PIECES_BYTES, 0)
    assert (death["taskAttemptId"], death["stageId"]) == (0, 0)
    assert death["headline"].split(":")[0] in " ".join(run.stderr.split())
    (advice,) = death["advice"]
    assert (advice["conf"], advice["from"]) == (CONF, BOUND)


@pytest.mark.full
def test_with_its_advice_applied_the_same_job_passes(bounded, run_with):
    ((advice,),) = [death["advice"] for death in bounded.report()["postMortems"]]
    passed = run_with(advice["to"])
    assert passed.result() == BYTES
    assert passed.report()["postMortems"] == []
