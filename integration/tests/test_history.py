"""What is left of a report when its application is gone: parts of it in Spark's event log, and who reads them."""

import json
import os
import subprocess
import sys

import pytest
from conftest import BUILD, LOCAL_CLUSTER, ROOT, demand_blocks, sites_at, warnings_of

EVENT = '{"Event":"org.sparkmemprof.history.ReportPart"'
SIZE = 1_999_993


@pytest.fixture(scope="module")
def command_line(tmp_path_factory):
    """Runs `sparkmemprof WORDS…` with the built module; its output."""
    package = tmp_path_factory.mktemp("package")
    (package / "sparkmemprof").mkdir()
    sources = ROOT / "pyworker-shim/sparkmemprof"
    for path in [*sources.iterdir(), *(BUILD / "python/sparkmemprof").glob("_store.*.so")]:
        (package / "sparkmemprof" / path.name).symlink_to(path)

    def run(*words):
        return subprocess.run(
            [sys.executable, "-m", "sparkmemprof.cli.main", *map(str, words)],
            env={**os.environ, "PYTHONPATH": str(package)},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.fixture(scope="module")
def logged(shared_run, tmp_path_factory):
    """(run, event log) of an application with two executors that has ended."""
    events = tmp_path_factory.mktemp("events")
    conf = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events,
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }
    run = shared_run("sum.py", SIZE, master=LOCAL_CLUSTER, conf=conf).demand_success()
    (log,) = events.iterdir()
    return run, log


def without_source(report):
    for stage in report["stages"]:
        for line in stage["lines"] + stage["otherAttempts"]["lines"]:
            line["source"] = None
    return report


def test_the_event_log_holds_the_report(logged, command_line):
    run, log = logged
    assert warnings_of(run) == []
    shown = command_line("report", log, "--format", "json")
    assert shown.returncode == 0, shown.stderr
    report = json.loads(shown.stdout)
    (site,) = sites_at(report["stages"][0]["sites"], "sum.py", "block")
    demand_blocks(site, SIZE, tasks=2)
    assert report == without_source(run.report())


def test_what_lies_in_the_log(logged):
    _, log = logged
    lines = log.read_text().splitlines()
    parts = [json.loads(line) for line in lines if line.startswith(EVENT)]
    kinds = {(part["part"], part["id"]) for part in parts}
    assert {("stage", "0.0"), ("executor", "0"), ("executor", "1"), ("application", "")} <= kinds
    assert {part["schemaVersion"] for part in parts} == {1}
    assert max(len(line) for line in lines if line.startswith(EVENT)) < 64 << 10
    assert "bytearray(SIZE)" not in "".join(lines), "names, not lines of source"


def test_source_where_it_is_asked_for_and_nothing_where_it_is_not_wanted(spark_run, tmp_path, command_line):
    conf = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }
    logs = []
    for name, setting in (
        ("lines", {"spark.memprof.source": "lines"}),
        ("off", {"spark.memprof.eventLog.enabled": "false"}),
    ):
        folder = tmp_path / name
        folder.mkdir()
        spark_run("sum.py", SIZE, conf={**conf, "spark.eventLog.dir": folder, **setting}).demand_success()
        logs += folder.glob("local-*")
    assert "block = bytearray(SIZE)" in command_line("report", logs[0]).stdout
    refused = command_line("report", logs[1])
    assert refused.returncode == 2
    assert "spark.memprof.eventLog.enabled" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
