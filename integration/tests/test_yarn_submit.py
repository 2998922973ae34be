"""`sparkmemprof submit --master yarn`: executors load the library out of the jar. If it is to ship the library, that is
there when each executor's JVM starts.

A JVM whose -agentpath names a missing file does not start: with a wrong path no executor would.
"""

import json
import pathlib

import processes
import pytest
from conftest import (
    BUILD,
    JOBS,
    ROOT,
    Run,
    clean_environment,
    demand_blocks,
    every_executor_first,
    line_of,
    python_line,
    sites_at,
)
from mini_yarn import MiniYarn

JOB = "shipped.py"
BLOCK_BYTES, TASKS, HELD = 3_700_019, 6, 41_000_027
SUM = sum(number * number for number in range(60)) + 60 * BLOCK_BYTES + HELD
CONTAINER_BYTES = (512 + 512) << 20
NODE_MIB = 4096
RUN_SECONDS = 300
# Its folder isn't given by PYTHONPATH, which YARN hands on to executors: there it would hide what the jar brings.
COMMAND_LINE = "import sys; sys.path.insert(0, sys.argv.pop(1)); from sparkmemprof.cli.main import main; main()"


@pytest.fixture
def yarn(tmp_path):
    jars = BUILD.parent / "third-party/mini-yarn"
    cluster = MiniYarn(pathlib.Path(__file__).parent, jars, tmp_path, node_mib=NODE_MIB)
    yield cluster
    cluster.stop()


@pytest.fixture
def submit(spark, package, yarn, tmp_path):
    """Runs the job by `sparkmemprof submit` in that deploy mode, with further options; the Run, and what the job has
    written."""
    spark = spark.as_shipped()

    def run(mode, *options):
        words = tmp_path / "words.txt"
        words.write_text("the user's own")
        reports = tmp_path / "reports"
        settings = {
            "spark.ui.enabled": "false",
            "spark.log.level": "WARN",
            "spark.driver.memory": "600m",
            "spark.driver.memoryOverhead": "600m",
            "spark.executor.instances": "2",
            "spark.executor.cores": "1",
            "spark.executor.memory": "512m",
            "spark.executor.memoryOverhead": "512m",
            "spark.task.maxFailures": "1",
            "spark.yarn.maxAppAttempts": "1",
            "spark.executor.maxNumFailures": "1",  # where some don't start, new ones wouldn't either
            "spark.yarn.jars": f"local:{spark.home}/jars/*",
            "spark.memprof.report.dir": f"file://{reports}",
            "spark.memprof.patience": processes.PROFILERS_PATIENCE,
            **every_executor_first("yarn"),
        }
        pairs = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
        python = ROOT / "build/tools/bin/python"  # has click, and no pyspark of its own
        command = [python, "-c", COMMAND_LINE, package, "submit", "--master", "yarn", "--deploy-mode", mode, *options]
        command += ["--files", words, *pairs, JOBS / JOB, tmp_path / "result.json"]
        environment = clean_environment(
            spark, HADOOP_CONF_DIR=str(yarn.conf), SPARKMEMPROF_BUNDLE=str(package / "bundle")
        )
        cwd = tmp_path / "cwd"
        cwd.mkdir()
        finished = processes.run(command, RUN_SECONDS, cwd=cwd, env=environment)
        outcome = Run(finished.returncode, finished.stdout, finished.stderr, reports, work=cwd, local=True)
        outcome.demand_success()
        return outcome, json.loads((tmp_path / "result.json").read_text())

    return run


def seen_by_executors(result):
    assert result["sum"] == SUM
    seen = {each["folder"]: each for each in result["seen"]}
    assert len(seen) == 2, "a container for each executor"
    for folder, each in seen.items():
        assert "container_" in pathlib.PurePath(folder).name, folder
        assert each["words"] == "the user's own", "what the user ships is there, too"
    return seen.values()


def demand_shipped(result):
    """Each executor's JVM was started with the library that lies in its own container, and has no other one."""
    for each in seen_by_executors(result):
        assert each["options"] == ["-agentpath:./libsparkmemprof.so"]
        assert each["mapped"] == [each["library"]], "not the copy that the jar has"
        assert not each["library"].startswith(str(BUILD)), "YARN has copied it"


def demand_from_jar(result):
    """Each executor's JVM was started without the library: one that can't load it would start all the same."""
    for each in seen_by_executors(result):
        assert each["options"] == []
        (copy,) = each["mapped"]
        assert "/sparkmemprof-library-" in copy, "NativeLibrary's"


def demand_profile(run, of_driver, of_executors):
    report = run.report()
    assert report["unfinished"] is False
    assert report["postMortems"] == []
    assert report.get("otherDeaths", []) == []
    assert report["counters"]["droppedTasks"] == 0
    rows = {executor["id"]: executor for executor in report["executors"]}
    driver = rows.pop("driver")
    assert driver["agentLoaded"] == of_driver
    assert {process["kind"] for process in driver["processes"]} == {"jvm", "python-driver"}
    assert driver["atPeak"]["usedBytes"] > 0
    assert set(rows) == {"1", "2"}, "as YARN counts: none of them was a second try"
    for executor in rows.values():
        assert executor["agentLoaded"] == of_executors
        assert executor["limitBytes"] == CONTAINER_BYTES
        processes_of = {process["kind"]: process for process in executor["processes"]}
        assert set(processes_of) >= {"jvm", "python-daemon", "python-worker"}
        assert "Java heap" in {row["name"] for row in processes_of["jvm"]["peakRows"]}
        assert "Python objects" in {row["name"] for row in processes_of["python-worker"]["peakRows"]}
    (stage,) = [stage for stage in report["stages"] if stage["stageId"] == 0]
    assert stage["tasks"] == TASKS
    (site,) = sites_at(stage["sites"], JOB, "shipped block")
    demand_blocks(site, BLOCK_BYTES, TASKS)
    warned = [line for line in run.stderr.splitlines() if " WARN MemoryProfilerPlugin" in line]
    assert warned == []
    return report


def held_by_driver(report):
    """Sites of the driver's Python at the line of its block."""
    wanted = (JOB, line_of(JOB, "the driver's own"))
    rows = [stage for stage in report["stages"] if stage["stageId"] == -1]
    return [site for row in rows for site in row["sites"] if python_line(site) == wanted]


@pytest.mark.full
def test_in_client_mode(submit):
    """Half a minute: YARN starts, and a container for each of three JVMs."""
    run, result = submit("client", "--agentpath", "shipped")
    demand_shipped(result)
    report = demand_profile(run, of_driver="agentpath", of_executors="agentpath")
    assert HELD <= sum(site["liveAtPeakBytes"] for site in held_by_driver(report)) < HELD + 300_000
    (page,) = run.reports.glob("*/report.html")
    assert f"sparkmemprof: report: {page}" in run.stderr.splitlines()


@pytest.mark.full
def test_in_cluster_mode(submit):
    """Half a minute, likewise. The driver has a container of its own, and all have the jar alone."""
    run, result = submit("cluster")
    demand_from_jar(result)
    report = demand_profile(run, of_driver="jar", of_executors="jar")
    (driver,) = [executor for executor in report["executors"] if executor["id"] == "driver"]
    assert driver["requestedBytes"] == (600 + 600) << 20, "its container's"
    assert held_by_driver(report) == [], "who submits doesn't start its Python"
