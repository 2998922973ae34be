"""However a task ends, its profile reaches the driver, once, and each task's bytes stay its own."""

import pytest
from conftest import LOCAL_CLUSTER, demand_blocks, sites_at, warnings_of

JOB = "tasks.py"


@pytest.fixture(scope="session")
def tasks_run(shared_run, tmp_path_factory):
    run = shared_run(JOB, tmp_path_factory.mktemp("news")).demand_success()
    assert warnings_of(run) == []
    return run


@pytest.fixture(scope="session")
def stages(tasks_run):
    return tasks_run.report()["stages"]


def the_site(stages, marker, where="sites"):
    """(stage, site) of the one site at the marked line; in no other stage, and in no other list of its stage."""
    found = []

    def add(stage, sites, kind):
        found.extend((stage, site, kind) for site in sites_at(sites, JOB, marker))

    for stage in stages:
        add(stage, stage["sites"], "sites")
        add(stage, stage["otherAttempts"]["sites"], "otherAttempts")
    assert [kind for _, _, kind in found] == [where], f"{marker}: {found}"
    return found[0][:2]


def test_result(tasks_run):
    ids = sum(range(4_000))
    assert tasks_run.result() | {"cached": None} == {
        "cached": None,
        "once": sum(range(70)) + 7 * 1_000_003,
        "shuffle map": [[0, 3], [1, 3]],
        "pandas_udf": ids + 4_000 * 1_200_007,
        "group": 2 * 1_300_021,
        "raises": "PythonException",
        "never ends": "Py4JJavaError",
        "chained": sum(range(80_000)) + 80_000 * (1_600_033 + 1_700_021),
        "coalesced": sum(range(800)) + 800 * 2_300_023,
        "beside": [sum(range(2_000)) + 2_000 * 2_000_003, sum(range(2_000)) + 2_000 * 1_900_009],
        "limited": 2 + 1_800_017,
        "after the limit": sum(range(7)) + 7 * 1_900_009,
    }


def test_each_task_is_counted_once(stages):
    stage, site = the_site(stages, "once")
    assert stage["tasks"] == 7
    demand_blocks(site, 1_000_003, tasks=7)


def test_shuffle_map_tasks_are_counted_once(stages):
    _, site = the_site(stages, "shuffle map")
    demand_blocks(site, 1_100_009, tasks=3, blocks=6)


def test_pandas_udf(stages):
    _, site = the_site(stages, "pandas_udf")
    demand_blocks(site, 1_200_007, tasks=4)
    assert "in_pandas_udf" in site["udf"]


def test_grouped_map(stages):
    sites = [site for stage in stages for site in sites_at(stage["sites"], JOB, "group")]
    assert sum(site["allocatedBytes"] for site in sites) // 1_300_022 == 2, "one per group"


def test_function_that_raises(stages):
    stage, site = the_site(stages, "raises", "otherAttempts")
    assert stage["tasks"] == 0
    assert stage["otherAttempts"]["tasks"] == 1
    demand_blocks(site, 1_400_017, tasks=1)


def test_cancelled_job(stages):
    stage, site = the_site(stages, "never ends", "otherAttempts")
    assert stage["tasks"] == 0
    assert stage["otherAttempts"]["tasks"] == 2
    demand_blocks(site, 1_500_007, tasks=2)


def test_two_functions_in_a_chain(stages):
    """A worker of the first function serves another task long before its own task ends."""
    first_stage, first = the_site(stages, "first")
    second_stage, second = the_site(stages, "second")
    assert first_stage is second_stage
    demand_blocks(first, 1_600_033, tasks=4, blocks=8)
    demand_blocks(second, 1_700_021, tasks=4, blocks=8)


def test_partitions_that_one_task_works_through(stages):
    """Eight sessions in one task, one after the other: their peaks aren't added."""
    stage, site = the_site(stages, "coalesced")
    assert stage["tasks"] == 1
    demand_blocks(site, 2_300_023, tasks=1, blocks=8, held=1)


def test_jobs_side_by_side(stages):
    _, beside = the_site(stages, "beside")
    demand_blocks(beside, 2_000_003, tasks=2)


def test_limit_that_stops_early(stages):
    stage, site = the_site(stages, "limited")
    assert stage["tasks"] == 1
    blocks = site["allocatedBytes"] // 1_800_018
    assert 1 <= blocks < 10_000, "most batches were left unread"
    # Each block replaces the one before, which goes only then.
    demand_blocks(site, 1_800_017, tasks=1, blocks=blocks, held=2)


def test_bytes_after_an_early_stop_belong_to_the_next_task(stages):
    sites = [site for stage in stages for site in sites_at(stage["sites"], JOB, "after the limit")]
    blocks = [site["allocatedBytes"] // 1_900_010 for site in sites]
    assert sum(blocks) == 3, "two side by side, one after the limit"
    assert {site["liveAtPeakBytes"] // 1_900_010 for site, held in zip(sites, blocks) if held} == {1}


@pytest.mark.one_line
def test_boxes_of_workers_that_ended_do_not_pile_up(spark_run, tmp_path):
    boxes = tmp_path / "boxes"
    boxes.mkdir(mode=0o700)
    conf = {"spark.python.worker.reuse": "false", "spark.memprof.box.dir": boxes}
    run = spark_run("boxes.py", boxes, 60, conf=conf).demand_success()
    result = run.result()
    assert result["left"] == 0
    print(f"boxes there when the last task had ended: {result['at the end']}")
    assert result["at the end"] < 60, "those before were removed meanwhile"
    assert result["total"] == sum(range(60)) + 60 * 2_200_009
    (stage,) = run.report()["stages"]
    (site,) = sites_at(stage["sites"], "boxes.py", "of task")
    demand_blocks(site, 2_200_009, tasks=60)


@pytest.mark.full
@pytest.mark.one_line
def test_executor_that_is_killed(spark_run):
    """The interim profile in its last heartbeat is all that is left of the attempt."""
    conf = {
        "spark.executor.heartbeatInterval": "1s",
        "spark.memprof.snapshot.seconds": "1",
        "spark.task.maxFailures": "2",
    }
    run = spark_run("killed.py", master=LOCAL_CLUSTER, conf=conf).demand_success()
    assert run.result() == 2_100_011
    (stage,) = run.report()["stages"]
    assert stage["tasks"] == 1
    (lost,) = sites_at(stage["otherAttempts"]["sites"], "killed.py", "block")
    (kept,) = sites_at(stage["sites"], "killed.py", "block")
    demand_blocks(lost, 2_100_011, tasks=1)
    demand_blocks(kept, 2_100_011, tasks=1)


def test_what_tasks_left_on_the_heap_is_known_by_their_call_site(tasks_run, stages):
    """A cached table outlives its tasks: a full collection finds it, where they put it."""
    cached = tasks_run.result()["cached"]
    (executor,) = tasks_run.report()["executors"]
    retained = executor["retained"]
    assert retained["totalBytes"] <= retained["heapUsedAfterBytes"]
    assert sum(site["retainedBytes"] for site in retained["sites"]) + retained["otherBytes"] == retained["totalBytes"]

    of_cache = [
        site
        for site in retained["sites"]
        if any("columnar" in frame["function"] or "InMemoryRelation" in frame["function"] for frame in site["frames"])
    ]
    bytes_of_cache = sum(site["retainedBytes"] for site in of_cache)
    deviation = sum((site["errorBytes"] / 2) ** 2 for site in of_cache) ** 0.5
    assert bytes_of_cache == pytest.approx(cached, abs=6 * deviation + 0.05 * cached)
    heaviest = of_cache[0]
    of_its_stage = sum(site["retainedBytes"] for site in of_cache if site["stageId"] == heaviest["stageId"])
    assert of_its_stage > 0.9 * bytes_of_cache, "a sample more may be of the stage that reads it"
    (stage,) = [stage for stage in stages if stage["stageId"] == heaviest["stageId"]]
    assert heaviest["retainedBytes"] in [site["retainedBytes"] for site in stage["sites"]]

    collectors = {row["collector"]: row for row in executor["gc"]}
    (full,) = [name for name, row in collectors.items() if any(c["cause"] == "System.gc()" for c in row["causes"])]
    assert collectors[full]["longestMs"] <= collectors[full]["totalMs"]
