"""Results that come to the driver: by the action that asked, in bytes, and what is told when they come to too much."""

import pathlib

import pytest
from conftest import line_of

pytestmark = pytest.mark.one_line

COLLECTED, ARROW, DESCRIBED, REFUSED = 300_011, 700_001, 200_003, 760_019
# What Java, Spark and Arrow wrap around one task's bytes, and what its accumulators come to, without its profile.
BESIDE_BYTES = 30_000
ENOUGH = "5m"


@pytest.fixture(scope="session")
def run(shared_run):
    return shared_run("results.py", ENOUGH, conf={"spark.driver.maxResultSize": "2m"}.items()).demand_success()


def action_at(report, marker):
    found = [
        action
        for action in report["driver"]["actions"]
        if action["file"] is not None
        and (pathlib.PurePath(action["file"]).name, action["line"]) == ("results.py", line_of("results.py", marker))
    ]
    assert len(found) == 1, (marker, report["driver"]["actions"])
    return found[0]


@pytest.mark.parametrize(
    ("marker", "function", "size", "tasks"),
    [
        ("collect", "collect", COLLECTED, 3),
        ("toPandas", "toPandas", ARROW, 2),
        ("described", "collect", DESCRIBED, 1),
    ],
)
def test_results_by_action(run, marker, function, size, tasks):
    report = run.report()
    action = action_at(report, marker)
    assert report["driver"]["maxResultBytes"] == 2 << 20
    assert (action["function"], action["status"], action["resultTasks"]) == (function, "complete", tasks)
    assert action["resultRows"] == (2 if marker == "toPandas" else None), "of an RDD nobody counts them"
    assert tasks * size < action["resultBytes"] < tasks * (size + BESIDE_BYTES)
    (results,) = action["results"]
    assert (results["purpose"], results["tasks"], results["partitions"]) == ("result", tasks, tasks)
    assert results["resultBytes"] == action["resultBytes"]
    assert size < results["largestResultBytes"] < size + BESIDE_BYTES
    assert action["description"] == ("a described job" if marker == "described" else None)
    stages = {stage["stageId"]: stage for stage in report["stages"]}
    assert results["stageId"] in action["stages"]
    assert stages[results["stageId"]]["status"] == "complete"


def test_a_table_that_is_broadcast_is_apart(run):
    report = run.report()
    assert run.result()["counted"] == 50_021
    (query,) = [action for action in report["driver"]["actions"] if action["broadcastBytes"]]
    assert query["queryId"] is not None
    assert query["callSite"].startswith("count at ")
    assert query["file"] is None, "Spark knows the bridge alone"
    assert len(query["jobs"]) >= 2
    two_random_columns = 50_021 * 16
    assert two_random_columns < query["broadcastBytes"] < 3 * two_random_columns
    assert 0 < query["resultBytes"] < BESIDE_BYTES
    assert query["resultRows"] == 1, "those that were broadcast are none of its result"
    assert query["broadcastRows"] == 50_021
    largest = report["broadcasts"][0]
    assert two_random_columns < largest["driverPeakBytes"] < 3 * two_random_columns


def test_more_than_the_driver_takes(run):
    report = run.report()
    assert "is bigger than spark.driver.maxResultSize (2.0 MiB)" in run.result()["failure"]
    action = action_at(report, "refused")
    (death,) = report["postMortems"]
    assert (death["executorId"], death["jobId"], death["process"]) == ("driver", action["jobs"][0], "jvm")
    assert death["limitBytes"] == 2 << 20
    assert abs(death["usedBytes"] - 3 * REFUSED) < 3 * BESIDE_BYTES + (1 << 20) * 0.05, "as Spark rounds it"
    assert (death["outOfMemory"], death["survived"]) == (False, True), "a bound that was passed is no death by memory"
    line = line_of("results.py", "refused")
    assert f"results.py:{line} (job {death['jobId']}): 3 of 5 tasks had returned 2.2 MiB" in death["headline"]
    instead, setting = death["advice"]
    assert instead["conf"] is None
    assert (
        f"at results.py:{line} comes to 5 tasks \u00d7 750.9 KiB each so far = 3.7 MiB, against 2.0 MiB"
        in instead["because"]
    )
    assert "limit() to 5" in instead["because"]
    assert (setting["conf"], setting["from"], setting["to"]) == ("spark.driver.maxResultSize", "2m", ENOUGH)
    assert "7.3 MiB of its heap of 1.0 GiB" in setting["because"]
    assert run.result()["passed"] == 5, "with the setting that is advised"
    assert run.stderr.count("sparkmemprof: post-mortem\n") == 1, "told once in the driver's log"
    assert action["status"] == "failed"
    assert action["resultTasks"] == 2, "the third was refused"
    assert 2 * REFUSED < action["resultBytes"] < 2 * (REFUSED + BESIDE_BYTES)
