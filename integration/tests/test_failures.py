"""What the exception of a failed job carries where our Python half is in the driver: one note, and only of a death."""

import os
import pathlib
import re
import shutil

import pytest
from conftest import AGENT_PATH, LOCAL_CLUSTER

# A note waits for what says of the death, and no longer than this allows.
CONF = {
    "spark.memprof.patience": "20",
    "spark.task.maxFailures": "2",
    "spark.executor.pyspark.memory": "1200m",
    "spark.executor.cores": "1",
}
TWICE = "local[1,2]"


def demand_note(note, run):
    """The post-mortem that it is of."""
    headline, place = note.splitlines()
    assert place.startswith(f"Its post-mortem: {run.reports}/")
    assert pathlib.Path(place.removeprefix("Its post-mortem: ")) / "report.json" in run.reports.glob("*/report.json")
    deaths = [death for death in run.report()["postMortems"] if f"sparkmemprof: {death['headline']}" == headline]
    assert deaths, (headline, [death["headline"] for death in run.report()["postMortems"]])
    return deaths[-1]


@pytest.mark.one_line("4")
@pytest.mark.parametrize("master", [pytest.param(LOCAL_CLUSTER, marks=pytest.mark.full), TWICE])
def test_jobs_whose_workers_die(spark_run, package, master):
    environment = {"PYTHONPATH": package}.items()
    run = spark_run("failures.py", master=master, conf=CONF, environment=environment).demand_success()
    found = run.result()
    for way in ("killed", "refused"):
        (note,) = found[way]["notes"]
        death = demand_note(note, run)
        assert (death["process"], death["outOfMemory"]) == ("python-worker", way == "refused")
        assert not death["startedByTask"]
        assert "sparkmemprof" not in found[way]["text"]
    assert found["killed"]["type"] == "Py4JJavaError"
    assert "Job aborted due to stage failure" in found["killed"]["text"]
    assert "MemoryError" in found["refused"]["text"]
    helpers = [death for death in run.report()["postMortems"] if death["exitCode"] == 139]
    assert [death["outOfMemory"] for death in helpers] == [False] * 4, (
        "two that were forked, two that were started anew"
    )
    assert len({death["stageId"] for death in helpers}) == 2
    assert all(death["startedByTask"] and death["headline"].startswith("Python process ") for death in helpers)
    processes = [process["pid"] for executor in run.report()["executors"] for process in executor["processes"]]
    assert int(re.search(r"of its own, helper (\d+)", found["helped"]["text"])[1]) in processes, "it was seen"
    for way in ("survives_then_fails", "helped", "forked_helper_crashes", "new_helper_crashes", "ordinary"):
        assert "ValueError" in found[way]["text"]
        assert found[way]["notes"] == [], "it failed of the user's own error"


@pytest.mark.one_line("3.5")
def test_a_driver_whose_context_has_ended(spark_run, package):
    """As Spark 3.5 ends it by itself, when one of its own threads finds no room."""
    conf = {"spark.driver.extraJavaOptions": AGENT_PATH, "spark.memprof.patience": "20"}
    run = spark_run("heap_and_stop.py", conf=conf, environment={"PYTHONPATH": package}.items()).demand_success()
    before, after, ordinary, stopped = run.result()
    for error in (before, after):
        assert "OutOfMemoryError" in error["text"]
        (note,) = error["notes"]
        headline, place = note.splitlines()
        assert headline.startswith("sparkmemprof: The driver ran out of heap"), headline
        assert place == f"Its post-mortem: {next(run.reports.glob('*/report.json')).parent}"
    assert {"driver"} == {death["executorId"] for death in run.report()["postMortems"]}
    assert ordinary["notes"] == stopped["notes"] == [], "not of memory"


@pytest.mark.full
@pytest.mark.one_line
def test_a_query_whose_worker_is_killed(spark_run, package):
    environment = {"PYTHONPATH": package}.items()
    run = spark_run("failing_query.py", environment=environment).demand_success()
    (note,) = run.result()["notes"]
    demand_note(note, run)
    assert "sparkmemprof" not in run.result()["text"]


@pytest.mark.full
def test_below_python_3_11_the_text_ends_with_the_note(spark_run, package):
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    python = next(iter(sorted(pyenv.glob("versions/*/bin/python3.10"))), shutil.which("python3.10"))
    if python is None:  # the only one that is old enough and that both lines of Spark accept
        pytest.skip("no python3.10 here")
    environment = {"PYTHONPATH": package, "PYSPARK_PYTHON": python, "PYSPARK_DRIVER_PYTHON": python}
    run = spark_run("failures.py", master=TWICE, conf=CONF, environment=environment.items()).demand_success()
    found = run.result()
    for way in ("killed", "refused"):
        text = found[way]["text"]
        demand_note(text[text.index("sparkmemprof: ") :], run)
    for way in ("survives_then_fails", "helped", "ordinary"):
        assert "sparkmemprof" not in found[way]["text"]
