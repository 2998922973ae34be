"""When and where the report is written."""

import json
import os
import pathlib
import signal
import stat
import tempfile

import pytest
from conftest import RUN_SECONDS, demand_blocks, sites_at, warnings_of
from processes import kill_session, patient, until


def read(path):
    try:
        return json.loads(path.read_text())
    except FileNotFoundError:
        return None


@pytest.mark.full
@pytest.mark.one_line
def test_checkpoint_while_it_runs_and_the_whole_after_sigterm(spark_run, tmp_path):
    launch = spark_run.prepare("waits.py", tmp_path / "done", conf={"spark.log.level": "INFO"})
    with open(tmp_path / "stderr", "w") as stderr:
        process = launch.start(stderr=stderr)
        try:
            until((tmp_path / "done").exists, 60, "the job's task")
            folder = until(lambda: next(launch.run.reports.glob("*"), None), 60, "the application's folder")
            checkpoint = until(lambda: read(folder / "report.json"), 60, "the first checkpoint")
            process.send_signal(signal.SIGTERM)
            process.wait(patient(RUN_SECONDS))
        finally:
            kill_session(process)
    final = read(folder / "report.json")
    assert [checkpoint["unfinished"], final["unfinished"]] == [True, False]
    for report in (checkpoint, final):
        (site,) = sites_at(report["stages"][0]["sites"], "waits.py", "block")
        demand_blocks(site, 2_200_013, tasks=1)
    assert {path.name for path in folder.iterdir()} == {"report.json", "report.html"}
    peaks = [{row["id"]: row["atPeak"] for row in report["executors"]} for report in (checkpoint, final)]
    seen = {executor: peak["usedBytes"] for executor, peak in peaks[0].items() if peak}
    assert seen, "the checkpoint has a peak"
    assert all(peaks[1][executor]["usedBytes"] >= bytes for executor, bytes in seen.items()), "a peak never falls"


def summary_of(run):
    """The lines of the log record that holds the summary: up to the next record."""
    lines = run.stderr.splitlines()
    (start,) = [number for number, text in enumerate(lines) if "sparkmemprof: report in" in text]
    dated = lines[start][:8]
    end = next((n for n in range(start + 1, len(lines)) if lines[n].startswith(dated)), len(lines))
    return lines[start:end]


@pytest.mark.one_line
def test_summary_in_the_drivers_log_and_private_files(spark_run):
    run = spark_run("sum.py", 1_999_993, conf={"spark.log.level": "INFO"}).demand_success()
    summary = summary_of(run)
    assert str(run.reports) in summary[0]
    assert 3 <= len(summary) - 1 <= 25
    assert any("sum.py" in text for text in summary)
    (folder,) = run.reports.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {path.name for path in folder.iterdir()} == {"report.json", "report.html"}
    for path in folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.one_line
def test_default_directory_is_named_where_no_one_chose_it(spark_run):
    run = spark_run("sum.py", conf={"spark.memprof.report.dir": None}).demand_success()
    (told,) = [text for text in run.stderr.splitlines() if "sparkmemprof: report in" in text]
    assert " WARN " in told, "the log level hides INFO"
    folder = pathlib.Path(told.split("report in ")[1])
    assert folder.parent == pathlib.Path(tempfile.gettempdir()) / f"sparkmemprof-{os.getuid()}" / "reports"
    assert read(folder / "report.json")["unfinished"] is False


@pytest.mark.one_line("4")
def test_event_logs_directory_and_its_size(spark_run, tmp_path):
    events = tmp_path / "events"
    events.mkdir()
    conf = {
        "spark.memprof.report.dir": None,
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events,
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }
    run = spark_run("sum.py", 1_999_993, conf=conf).demand_success()
    (report,) = events.glob("sparkmemprof/*/report.json")
    (log,) = [path for path in events.iterdir() if path.is_file()]
    assert log.name == report.parent.name, "Spark could finish its log"
    tasks = [text for text in log.read_text().splitlines() if '"SparkListenerTaskEnd"' in text]
    assert len(tasks) == 2
    assert "ProfileAccumulator" not in "".join(tasks)
    assert run.result()


@pytest.mark.one_line
def test_two_applications_in_one_process_and_any_hadoop_file_system(spark_run, tmp_path):
    """viewfs stands for all that are no local path: through Hadoop, with a rename over what is there."""
    kept = tmp_path / "kept"
    kept.mkdir()
    conf = {
        "spark.memprof.report.dir": "viewfs://memprof/reports",
        "spark.hadoop.fs.viewfs.mounttable.memprof.link./reports": f"file://{kept}",
    }
    run = spark_run("twice.py", conf=conf).demand_success()
    assert run.result() == [2_300_003, 2_300_003]
    assert warnings_of(run) == []
    reports = list(kept.glob("*/report.json"))
    assert len(reports) == 2
    for path in reports:
        report = read(path)
        assert report["unfinished"] is False
        (site,) = sites_at(report["stages"][0]["sites"], "twice.py", "block")
        demand_blocks(site, 2_300_003, tasks=1)
        assert path.stat().st_mode & 0o077 == 0
        names = {each.name for each in path.parent.iterdir() if not each.name.endswith(".crc")}
        assert names == {"report.json", "report.html"}
