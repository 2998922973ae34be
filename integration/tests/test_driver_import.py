"""`import sparkmemprof.driver` in a program that starts its JVM itself: what its Python held is in the report."""

import pathlib

import pytest
from conftest import line_of, warnings_of

pytestmark = pytest.mark.one_line

JOB, HELD = "driver_import.py", 41_000_027


@pytest.fixture
def import_run(spark_run, package, tmp_path):
    def run(conf=()):
        environment = {"PYTHONPATH": str(package), "TMPDIR": str(tmp_path)}
        found = spark_run(JOB, conf=conf, environment=environment.items(), by_python=True).demand_success()
        assert found.result() == 7
        left = [
            path for pattern in ("sparkmemprof-driver-*", "sparkmemprof-*/drivers/*") for path in tmp_path.glob(pattern)
        ]
        assert left == [], "what it had for the while it ran"
        report = found.report()
        assert report["unfinished"] is False
        assert report["postMortems"] == []
        return found, report

    return run


def own_rows(report):
    return [stage for stage in report["stages"] if stage["stageId"] == -1]


def test_one_import_is_enough(import_run):
    run, report = import_run()
    assert warnings_of(run) == []
    (row,) = own_rows(report)
    assert row["name"] == f"driver: {JOB}"
    lines = {(pathlib.PurePath(line["file"] or "").name, line["line"]): line for line in row["lines"]}
    line = lines[JOB, line_of(JOB, "held")]
    assert HELD <= line["liveAtPeakBytes"] < HELD + 300_000
    assert line["source"].strip().startswith("held = bytearray(HELD)")
    (driver,) = report["executors"]
    (process,) = [process for process in driver["processes"] if process["kind"] == "python-driver"]
    assert "Python objects" in {row["name"] for row in process["peakRows"]}, "as it has measured itself"
    assert "lines of the driver's Python process" not in [entry["what"] for entry in report["notAvailable"]]
    assert [stage["tasks"] for stage in report["stages"] if stage["stageId"] == 0] == [1], "the rest is as it was"


@pytest.mark.full
def test_not_where_a_setting_forbids_it(import_run):
    _, report = import_run(conf={"spark.memprof.source": "names"}.items())
    assert own_rows(report) == []
