"""Drivers that run out of heap: the action of the user's program that it was for, and what to do instead."""

import re

import pytest
from conftest import AGENT_PATH, LOCAL_CLUSTER, line_of

pytestmark = pytest.mark.one_line("4")

JOB = "driver_heap.py"
ARROW = "spark.sql.execution.arrow.pyspark.enabled"
CONF = {"spark.driver.memory": "512m", "spark.driver.maxResultSize": "0"}
ROWS, LETTERS = 700, 1_000_000


@pytest.fixture
def run_job(spark_run, line):
    # By Arrow toPandas would need the executor's heap first. Spark 3.5 doesn't collect so unless it is told to.
    conf = CONF | ({ARROW: "false"} if line == "4" else {})

    def run(way, environment=(), **more):
        master = "local-cluster[1,1,1024]"
        return spark_run(JOB, way, master=master, conf=conf | more, environment=environment).demand_success()

    return run


@pytest.fixture
def death(run_job, request, package):
    """By the jar alone for collect; the others from the JVM's first allocation on, with their Python."""
    first = {} if request.param == "collect" else {"spark.driver.extraJavaOptions": AGENT_PATH}
    run = run_job(request.param, environment={"PYTHONPATH": package}.items() if first else (), **first)
    of_memory = ("OutOfMemoryError", "Not enough memory", "Exception thrown in awaitResult")
    assert any(words in run.result()["error"] for words in of_memory), "its user saw no more than this"
    deaths = run.report()["postMortems"]
    # An executor loses its driver if a thread of its connection finds no room. Why it went is not known then.
    others = [each for each in deaths if each["executorId"] != "driver"]
    assert not [each for each in others if each["outOfMemory"]], "no executor died of memory: " + run.tail()
    deaths = [each for each in deaths if each["executorId"] == "driver"]
    assert deaths, run.tail()
    last = [line for line in run.stderr.splitlines() if " WARN " in line and "sparkmemprof" in line][-1]
    # Threads of Spark's own may find the heap full again, ten seconds later: a post-mortem of its own.
    told = {"post-mortems are"} if others else {"the post-mortem above is"}
    told |= {"post-mortems are"} if len(deaths) > 1 else set()
    headlines = set()
    for each in deaths:
        _, _, whose = each["headline"].partition(": ")
        before_the_end = f"The driver ran out of heap and lived on, which is no death: {whose}"
        headlines |= {each["headline"], before_the_end}
    known = [f"sparkmemprof: {each}; {how} in the report in {run.reports}/" for each in headlines for how in told]
    assert any(each in last for each in known), f"{last}\n{headlines}"
    if first:
        demand_python(run, headlines, deaths[0])
    return deaths[0]


def demand_python(run, headlines, death):
    """What its profiled Python adds: a note on the exception, and the lines of the plan."""
    (note,) = run.result()["notes"]
    told, place = note.splitlines()
    assert told.removeprefix("sparkmemprof: ") in headlines
    assert place.startswith(f"Its post-mortem: {run.reports}/")
    assert re.search(rf"; its plan was built at {JOB}:{line_of(JOB, 'built')}(, \d+)*$", death["how"])


def demand_driver(death):
    assert (death["executorId"], death["process"], death["outOfMemory"]) == ("driver", "jvm", True)
    assert death["headline"].startswith("The driver ran out of heap")
    assert death["heap"] is not None
    assert sum(site["retainedBytes"] for site in death["retained"]["sites"]) > 100 << 20, "what filled it"
    memory = [piece for piece in death["advice"] if piece["conf"] == "spark.driver.memory"]
    assert [piece["from"] for piece in memory] == ["512m"]


@pytest.mark.parametrize(
    ("death", "action", "marker"),
    [("collect", "collect", "collected"), pytest.param("toPandas", "toPandas", "to pandas", marks=pytest.mark.full)],
    indirect=["death"],
)
def test_rows_that_are_collected(death, action, marker):
    demand_driver(death)
    line = line_of(JOB, marker)
    assert death["action"].startswith(f"{action} at ")
    assert death["action"].endswith(f"/{JOB}:{line}")
    assert death["jobId"] == 0
    assert f"{JOB}:{line} had brought " in death["headline"]
    assert f" in 4 tasks ({ROWS} rows of " in death["headline"]
    assert " each, serialised); " in death["headline"]
    instead = death["advice"][0]
    assert instead["conf"] is None
    assert f"collected at {JOB}:{line} comes to" in instead["because"]
    assert "write it to files" in instead["because"]
    by_arrow = [piece for piece in death["advice"] if piece["conf"] == ARROW]
    assert [(piece["from"], piece["to"]) for piece in by_arrow] == ([("false", "true")] if action == "toPandas" else [])
    assert all("there are only 4: call repartition(64) before it" in piece["because"] for piece in by_arrow)


@pytest.mark.full
@pytest.mark.parametrize("cluster", ["local-cluster", "standalone"])
def test_a_program_that_ends_of_it(spark_run, request, cluster):
    """Without a stop of its SparkContext. Its executors go with it, and are no deaths."""
    master = request.getfixturevalue("standalone").master if cluster == "standalone" else LOCAL_CLUSTER
    run = spark_run(JOB, "collect", "and ends", master=master, conf=CONF)
    assert run.status == 1, run.tail()
    assert "OutOfMemoryError" in run.stderr
    report = run.report()
    assert {each["executorId"] for each in report["postMortems"]} == {"driver"}, run.tail()
    assert len([row for row in report["executors"] if row["id"] != "driver"]) >= 1
    told = re.findall(r"sparkmemprof: post-mortem\n +(\S+ \S+)", run.stderr)
    assert set(told) == {"The driver"}, "in the log, too"
    assert any(", and the application ended " in death["headline"] for death in report["postMortems"])


@pytest.mark.full
@pytest.mark.parametrize("death", ["broadcast"], indirect=True)
def test_a_table_that_is_broadcast(death):
    demand_driver(death)
    assert death["action"].endswith(f"/{JOB}:{line_of(JOB, 'joined')}")
    assert re.search(r" to broadcast \((175|350|525|700) rows of \S+ \S+ each, serialised\); ", death["headline"])
    assert death["advice"][0]["conf"] == "spark.sql.autoBroadcastJoinThreshold"


@pytest.mark.full
@pytest.mark.parametrize(
    ("death", "setting", "result"),
    [
        ("collect", "spark.driver.memory", ROWS),
        ("toPandas", "spark.driver.memory", ROWS),
        ("toPandas", ARROW, ROWS),
        ("broadcast", "spark.sql.autoBroadcastJoinThreshold", 10 * LETTERS),
    ],
    indirect=["death"],
)
def test_with_the_advice_applied_it_passes(run_job, request, death, setting, result):
    (advice,) = [piece for piece in death["advice"] if piece["conf"] == setting]
    parts = re.search(r"call repartition\((\d+)\)", advice["because"])
    way = request.node.callspec.params["death"] + (f" in {parts[1]}" if parts else "")
    run = run_job(way, **{setting: advice["to"]})
    assert run.result() == result
    assert run.report()["postMortems"] == []
