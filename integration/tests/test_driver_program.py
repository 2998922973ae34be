"""`sparkmemprof run` of a program that is a Spark driver: what its Python held is in the application's own report."""

import json
import pathlib

import pytest
from conftest import AGENT_PATH, line_of

pytestmark = pytest.mark.one_line

JOB, HELD = "driver_program.py", 41_000_027
OPTIONS = ("-m", "sparkmemprof.cli.main", "run", "--report-dir", "programs")


@pytest.fixture
def program_run(spark_run, package):
    """The finished run, the applications' reports, and those that `run` has written beside them."""

    def run(way, conf=()):
        launch = spark_run.prepare(
            JOB, way, conf=conf, environment=[("PYTHONPATH", package)], by_python=True, python_options=OPTIONS
        )
        finished = spark_run.finish(launch)
        reports = {}
        for folder in (finished.reports, launch.cwd / "programs"):
            found = [json.loads(path.read_text()) for path in folder.glob("*/report.json")]
            reports[folder.name == "programs"] = {report["application"]["name"]: report for report in found}
        return finished, reports[False], reports[True]

    return run


def demand_held(report, number):
    """The line that holds the known bytes, in the stage with this number."""
    (python,) = [stage for stage in report["stages"] if stage["stageId"] == number]
    (line,) = [
        line
        for line in python["lines"]
        if line["file"] is not None
        and (pathlib.PurePath(line["file"]).name, line["line"]) == (JOB, line_of(JOB, "held"))
    ]
    assert HELD <= line["liveAtPeakBytes"] < HELD + 300_000
    assert line["source"].strip().startswith("held = bytearray(HELD)")
    return python


def test_what_the_program_held_is_in_its_applications_report(program_run):
    finished, applications, programs = program_run("left")
    assert finished.status == 3, finished.tail()
    (report,) = applications.values()
    assert programs == {}, "one report for both"
    assert report["unfinished"] is False
    assert report["postMortems"] == []
    row = demand_held(report, -1)
    assert (row["name"], row["failureReason"]) == (f"driver: {JOB}", "exit status 3")
    (driver,) = report["executors"]
    (process,) = [process for process in driver["processes"] if process["kind"] == "python-driver"]
    assert "Python objects" in {row["name"] for row in process["peakRows"]}, "as it has measured itself"
    assert [action["function"] for action in report["driver"]["actions"]] == ["count"]
    folder = next(finished.reports.glob("*/report.html")).parent
    assert f"sparkmemprof: report in {folder}\n" in finished.stderr
    assert "sparkmemprof · first" in finished.stderr, "the text report"


def test_the_exception_of_a_failed_job_has_the_note(program_run):
    """The program imports nothing of ours."""
    finished, applications, _ = program_run("worker killed")
    assert finished.status == 3, finished.tail()
    (report,) = applications.values()
    (death,) = report["postMortems"]
    assert death["process"] == "python-worker"
    error = finished.result()
    assert error["type"] == "Py4JJavaError"
    folder = next(finished.reports.glob("*/report.json")).parent
    assert error["notes"] == [f"sparkmemprof: {death['headline']}\nIts post-mortem: {folder}"]
    assert "sparkmemprof" not in error["text"]


@pytest.mark.full
def test_a_program_that_is_killed(program_run):
    finished, applications, _ = program_run("killed")
    assert finished.status == -9, finished.tail()
    (report,) = applications.values()
    assert demand_held(report, -1)["failureReason"] == "killed by SIGKILL"
    (death,) = report["postMortems"]
    assert (death["executorId"], death["process"], death["exitCode"]) == ("driver", "python-driver", 137)
    assert death["outOfMemory"] is False
    assert "not of memory" in death["headline"]


@pytest.mark.full
def test_a_jvm_that_is_killed(program_run):
    finished, applications, programs = program_run("JVM killed")
    assert finished.status == 3, finished.tail()
    assert programs == {}
    (report,) = applications.values()
    assert report["unfinished"] is True
    demand_held(report, -1)
    (death,) = report["postMortems"]
    assert (death["executorId"], death["process"], death["exitCode"]) == ("driver", "jvm", 137)
    assert death["outOfMemory"] is False
    assert death["headline"] in finished.stderr, "the text report"
    folder = next(finished.reports.glob("*/report.json")).parent
    place = f"Its post-mortem, when this program has ended: {folder}"
    assert finished.result()["notes"] == [f"sparkmemprof: {death['headline']}\n{place}"]


@pytest.mark.full
def test_a_jvm_that_ends_itself_of_a_full_heap(program_run):
    options = f"{AGENT_PATH} -XX:+ExitOnOutOfMemoryError"
    finished, applications, programs = program_run("full heap", {"spark.driver.extraJavaOptions": options})
    assert finished.status == 3, finished.tail()
    assert programs == {}
    (report,) = applications.values()
    demand_held(report, -1)
    (death,) = report["postMortems"]
    assert (death["executorId"], death["process"], death["exitCode"]) == ("driver", "jvm", 3)
    assert death["headline"].startswith("The driver ran out of heap: ")


@pytest.mark.full
@pytest.mark.parametrize("way", ["two", "names in the second", "JVM killed in the second"])
def test_several_applications_of_a_program(program_run, way):
    finished, applications, programs = program_run(way)
    assert finished.status == 3, finished.tail()
    assert set(applications) == {"first", "second"}
    assert not [stage for report in applications.values() for stage in report["stages"] if stage["stageId"] == -1]
    (report,) = programs.values()
    demand_held(report, 0)
    killed = way == "JVM killed in the second"
    assert [death["exitCode"] for death in applications["second"]["postMortems"]] == [137] * killed
    assert applications["first"]["postMortems"] == []
    assert finished.stderr.count("sparkmemprof: post-mortem of the driver") == killed
    ended = 1 if killed else 2
    assert finished.stderr.count("sparkmemprof: report of a Spark application of the program: ") == ended
    assert finished.stderr.count("the JVM of a Spark application of the program has died") == 2 - ended


@pytest.mark.full
@pytest.mark.parametrize(
    "conf",
    [{"spark.memprof.source": "names"}, {"spark.redaction.regex": "oddity"}, {"spark.memprof.python.enabled": "false"}],
)
def test_a_report_that_must_not_show_what_the_program_held(program_run, conf):
    finished, applications, programs = program_run("left", conf)
    assert finished.status == 3, finished.tail()
    (application,) = applications.values()
    assert not [stage for stage in application["stages"] if stage["stageId"] == -1]
    (report,) = programs.values()
    demand_held(report, 0)
