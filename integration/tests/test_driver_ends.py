"""`sparkmemprof submit` on real Spark: the driver's own Python by its lines, and what is told of one that was killed.

The kill for memory is the kernel's own, in a memory cgroup that the test makes; skipped with the reason where it can't.
"""

import json
import os
import pathlib
import re
import shutil
import sys

import memory_cgroups
import processes
import pytest
from conftest import JOBS, ROOT, clean_environment, line_of
from memory_cgroups import entering, kernel_kills, more_than_one
from reruns import played

pytestmark = pytest.mark.one_line

HELD, OF_BATCH, FRAME = 41_000_027, 23_000_011, 8 * 6_000_011
OF_NUMPY, OFF_HEAP = 31_000_013, 19_000_003
LIMIT_BYTES = 1_700_003_840  # whole pages
JOB = "driver_ends.py"


@pytest.fixture
def container():
    """A memory cgroup in which the Python process becomes the largest."""
    with memory_cgroups.container(LIMIT_BYTES) as folder:
        yield folder


@pytest.fixture
def submit(spark, package, tmp_path):
    """Runs `sparkmemprof submit` on a job; the finished process, and the one report.json in its directory."""

    def run(*arguments, prefix=(), master="local[1]", conf=()):
        conf = {
            "spark.ui.enabled": "false",
            "spark.log.level": "WARN",
            "spark.driver.memory": "512m",
            "spark.memprof.patience": processes.PROFILERS_PATIENCE,
            **dict(conf),
        }
        words = [word for key, value in conf.items() for word in ("--conf", f"{key}={value}")]
        # The command line's own Python: it has click, and no pyspark of its own.
        python = ROOT / "build/tools/bin/python"
        command = [
            *prefix,
            python,
            "-m",
            "sparkmemprof.cli.main",
            "submit",
            "--master",
            master,
            *words,
            JOBS / JOB,
            *arguments,
        ]
        environment = clean_environment(spark, PYTHONPATH=str(package), SPARKMEMPROF_BUNDLE=str(package / "bundle"))
        shutil.rmtree(tmp_path / "sparkmemprof-report", ignore_errors=True)  # of a scene before
        finished = processes.run(command, 240, cwd=tmp_path, env=environment)
        (report,) = (tmp_path / "sparkmemprof-report").glob("*/report.json")
        assert (report.parent / "report.html").exists()
        return finished, json.loads(report.read_text())

    return run


def python_of_driver(report):
    """The row of the driver's own Python."""
    (row,) = [stage for stage in report["stages"] if stage["stageId"] == -1]
    return row


def lines_at(report, marker):
    """Of the driver's Python, what is charged to the marked line."""
    (line,) = [
        line
        for line in python_of_driver(report)["lines"]
        if line["file"] is not None
        and (pathlib.PurePath(line["file"]).name, line["line"]) == (JOB, line_of(JOB, marker))
    ]
    return line


def test_a_driver_that_ends_in_order(submit):
    finished, report = submit("in-order", "--its", "own words")
    assert finished.returncode == 3, finished.stderr
    assert "RESULT 7 ['--its', 'own words']" in finished.stdout
    assert "post-mortem" not in finished.stderr
    assert report["postMortems"] == []
    python = python_of_driver(report)
    assert (python["name"], python["status"]) == (f"driver: {JOB}", "complete")
    assert "lines of the driver's Python process" not in [entry["what"] for entry in report["notAvailable"]]
    held = lines_at(report, "held")
    assert HELD <= held["liveAtPeakBytes"] < HELD + 300_000
    assert held["source"].strip().startswith("held = bytearray(HELD)")
    of_batch = lines_at(report, "of batch")
    assert OF_BATCH <= of_batch["liveAtPeakBytes"] < OF_BATCH + 300_000, "a function of foreachBatch runs in the driver"
    assert of_batch["function"].endswith("keep")
    by_numpy = lines_at(report, "by numpy")
    assert OF_NUMPY <= by_numpy["liveAtPeakBytes"] < OF_NUMPY + 300_000
    frames = python["sites"][by_numpy["sites"][0]]["frames"]
    assert [frame["language"] for frame in frames if "numpy" in (frame["module"] or "")], "its native code"
    (driver,) = report["executors"]
    assert driver["offHeapOfNoTask"], "no look came while it was there"
    buffers = [site for site in driver["offHeapOfNoTask"]["sites"] if site["bytes"] == OFF_HEAP]
    assert [(site["blocks"], site["errorBytes"]) for site in buffers] == [(1, 0)]
    assert "java.nio.ByteBuffer.allocateDirect" in {frame["function"] for frame in buffers[0]["frames"]}
    (process,) = [process for process in driver["processes"] if process["kind"] == "python-driver"]
    assert "Python objects" in {row["name"] for row in process["peakRows"]}, "as it has measured itself"
    actions = {(action["function"], action["line"]): action for action in report["driver"]["actions"] if action["file"]}
    told = {"counted": "count", "written": "parquet", "shown": "show", "refused": "save", "in a batch": "count"}
    # Whose lines PySpark tells itself.
    of_pyspark = {"an action": "count", "collected": "collect", "of an RDD after it": "count"}
    assert set(actions) == {(function, line_of(JOB, marker)) for marker, function in (told | of_pyspark).items()}
    built_at = {
        "counted": ["numbers", "counted"],
        "written": ["numbers"],
        "shown": ["numbers"],
        "refused": ["numbers", "refused"],
        "in a batch": [],
        "an action": [],
        "of an RDD after it": [],
        "collected": ["numbers", "pairs", "few", "joined"],
    }
    for marker, function in (told | of_pyspark).items():
        places = actions[function, line_of(JOB, marker)]["builtAt"]
        assert [place["line"] for place in places] == [line_of(JOB, each) for each in built_at[marker]], marker
        assert {pathlib.PurePath(place["file"]).name for place in places} <= {JOB}
    assert actions["save", line_of(JOB, "refused")]["status"] == "failed"
    others = [action["callSite"] for action in report["driver"]["actions"] if not action["file"]]
    assert others.count("the user's own words") == 1


@pytest.mark.full
def test_a_driver_that_sets_itself_that_its_lines_are_not_shown(submit):
    finished, report = submit("names")
    assert finished.returncode == 3, finished.stderr
    assert [stage for stage in report["stages"] if stage["stageId"] == -1] == []
    assert "bytearray(HELD)" not in json.dumps(report)
    assert [action["function"] for action in report["driver"]["actions"]] == ["count"]


def test_a_jvm_that_somebody_killed(submit):
    finished, report = submit("jvm")
    assert finished.returncode == -9, "as spark-submit ended"
    (death,) = report["postMortems"]
    assert (death["executorId"], death["process"], death["exitCode"]) == ("driver", "jvm", 137)
    assert death["outOfMemory"] is False
    assert death["advice"] == []
    assert "not of memory" in death["headline"]
    assert "post-mortem of the driver" in finished.stderr
    assert HELD <= lines_at(report, "held")["liveAtPeakBytes"] < HELD + 300_000


@pytest.mark.full
def test_what_a_killed_jvm_had_reported_is_left(submit, command_line, tmp_path):
    """It costs three quarters of a minute: there is a checkpoint every thirty seconds."""
    events = tmp_path / "events"
    events.mkdir()
    log = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": events, "spark.eventLog.rolling.enabled": "false"}
    finished, report = submit("jvm", str(processes.patient(33)), conf=log)
    assert finished.returncode == -9
    assert [death["process"] for death in report["postMortems"]] == ["jvm"]
    assert report["unfinished"] is True
    (left,) = events.iterdir()
    shown = command_line("report", left, "--format", "json")
    assert shown.returncode == 0, shown.stderr
    for each in (report, json.loads(shown.stdout)):
        (action,) = each["driver"]["actions"]
        assert (action["function"], action["line"]) == ("count", line_of(JOB, "an action"))
        (stage,) = [stage for stage in each["stages"] if stage["stageId"] == 0]
        assert stage["status"] == "complete"


@pytest.mark.parametrize(
    ("way", "marker"), [("python", "frames"), pytest.param("pandas-on-spark", "arrays", marks=pytest.mark.full)]
)
def test_the_kernel_kills_the_drivers_python(submit, container, way, marker, record_property):
    def scene():
        before = kernel_kills(container)
        finished, report = submit(way, prefix=entering(container))
        return finished, report, kernel_kills(container) - before

    finished, report, _ = played(scene, lambda outcome: more_than_one(outcome[-1]), record_property)
    assert finished.returncode == 137, finished.stderr[-3000:]
    (death,) = report["postMortems"]
    assert (death["executorId"], death["process"], death["exitCode"]) == ("driver", "python-driver", 137)
    assert death["outOfMemory"] is True
    assert "oom_kill counter of its cgroup rose by 1, as sparkmemprof submit" in death["how"]
    assert death["limitBytes"] == LIMIT_BYTES
    assert 0.8 * LIMIT_BYTES < death["usedBytes"] <= LIMIT_BYTES
    assert python_of_driver(report)["status"] == "failed"
    line = lines_at(report, marker)
    assert line["liveAtEndBytes"] >= 5 * FRAME, "several were held"
    assert f"{JOB}:{line_of(JOB, marker)}" in death["headline"]
    assert f"{JOB}:{line_of(JOB, marker)}" in death["advice"][0]["because"]
    flat = " ".join(finished.stderr.split())
    assert "post-mortem of the driver" in flat
    assert "was killed for its memory" in flat


def test_the_kernel_kills_the_python_of_a_plain_spark_submit(spark_run, container, record_property):
    """Nobody outlives both of the driver's processes: its JVM tells, which ends a moment later."""

    def scene():
        before = kernel_kills(container)
        run = spark_run(JOB, "python", conf={"spark.driver.memory": "512m"}, prefix=entering(container))
        return run, kernel_kills(container) - before

    run, _ = played(scene, lambda outcome: more_than_one(outcome[-1]), record_property)
    assert run.status == 137, run.tail()
    (death,) = run.report()["postMortems"]
    assert (death["executorId"], death["process"], death["exitCode"]) == ("driver", "python-driver", None)
    assert death["outOfMemory"] is True
    assert death["how"] == "the kernel's oom_kill counter of its cgroup rose by 1, as the driver's JVM found"
    assert death["limitBytes"] == LIMIT_BYTES
    assert 0.8 * LIMIT_BYTES < death["usedBytes"] <= LIMIT_BYTES
    assert re.match(r"The driver's Python process \d+ was killed for its memory: ", death["headline"])
    assert death["headline"] in " ".join(run.stderr.split())


HEAP = {"spark.driver.maxResultSize": "0", "spark.driver.extraJavaOptions": "-XX:+ExitOnOutOfMemoryError"}


def demand_full_heap(finished, report, local):
    """Its own last checkpoint is of a while before: who started it reads what it left in its last moment."""
    assert finished.returncode == 3, finished.stderr[-3000:]
    (death,) = report["postMortems"]
    assert (death["executorId"], death["process"], death["exitCode"]) == ("driver", "jvm", 3)
    assert death["outOfMemory"] is True
    assert re.match(r"The driver ran out of heap: .* asked for more.* MiB of \S+ MiB in use", death["headline"])
    assert local or death["taskAttemptId"] is None, "where executors run the tasks, none is the driver's"
    if death["taskAttemptId"] is None or "; thread " in death["headline"]:  # in local mode a task may be who asked
        assert death["action"].endswith(f"/{JOB}:{line_of(JOB, 'full heap')}")
        assert f"{JOB}:{line_of(JOB, 'full heap')} had brought " in death["headline"]
    classes = [each["name"] for each in death["heap"]["classes"]]
    assert not classes or "byte[]" in classes[:5], "the rows that were brought, where there was time to look"
    (memory,) = [piece for piece in death["advice"] if piece["conf"] == "spark.driver.memory"]
    assert memory["from"] == "512m"
    assert report["unfinished"] is True
    assert "post-mortem of the driver The driver ran out of heap" in " ".join(finished.stderr.split())


def test_a_jvm_that_ends_itself_of_a_full_heap(submit):
    demand_full_heap(*submit("heap", master="local-cluster[1,1,1024]", conf=HEAP), local=False)


@pytest.mark.full
def test_a_local_jvm_that_ends_itself_of_a_full_heap(submit, package, tmp_path):
    boxes = tmp_path / "boxes"
    boxes.mkdir()
    finished, report = submit("heap", conf=HEAP | {"spark.memprof.box.dir": str(boxes)})
    demand_full_heap(finished, report, local=True)
    left = list(boxes.rglob("*.words"))
    assert len(left) == 1
    assert not list(boxes.rglob("*.report.json")), "that one went to who waited for it"
    command = [sys.executable, "-m", "sparkmemprof.cli.main", "post-mortem", left[0].parent]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    told = processes.run(command, 60, env=environment, check=True).stdout
    assert "The driver ran out of heap: " in told
    assert "exit code 3" in told
    left[0].write_bytes(left[0].read_bytes()[:-1])
    told = processes.run(command, 60, env=environment)
    assert "The driver ran out of heap" not in told.stdout
    assert f"refused: {left[0]}" in told.stderr
    assert "is torn" in told.stderr
