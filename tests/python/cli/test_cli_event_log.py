"""`sparkmemprof report EVENTLOG`: which files are event logs, and what is said of those that hold no report."""

import json
import os

import pytest

START = {"Event": "SparkListenerApplicationStart", "App Name": "job", "App ID": "app-7", "Timestamp": 5}
ENVIRONMENT = {
    "Event": "SparkListenerEnvironmentUpdate",
    "Spark Properties": {"spark.plugins": "org.sparkmemprof.MemoryProfilerPlugin"},
}


def part(kind, name, report, version=1):
    event = {"Event": "org.sparkmemprof.report.ReportPart", "part": kind, "id": name, "schemaVersion": version}
    return event | {"report": json.dumps(report)}


def text_of(*events):
    return "".join(json.dumps(event) + "\n" for event in events)


@pytest.fixture
def events(sample_report):
    """The parts of the C++ tests' sample report."""
    report = json.loads(sample_report)
    rest = report | {"stages": [], "executors": [], "postMortems": []}
    parts = [part("stage", f"{row['stageId']}.{row['attempt']}", rest | {"stages": [row]}) for row in report["stages"]]
    parts += [part("executor", row["id"], rest | {"executors": [row]}) for row in report["executors"]]
    parts += [part("postMortem", str(i), rest | {"postMortems": [row]}) for i, row in enumerate(report["postMortems"])]
    return [START, ENVIRONMENT, *parts, part("application", "", rest)]


@pytest.fixture
def log(tmp_path, events):
    path = tmp_path / "events" / "app-7"
    path.parent.mkdir()
    path.write_text(text_of(*events))
    return path


def test_it_is_the_report(cli, log, sample_report):
    assert json.loads(cli("report", log, "--format", "json").stdout) == json.loads(sample_report)


@pytest.mark.parametrize("form", ["text", "html", "flamegraph", "speedscope", "pprof", "csv"])
def test_every_format(cli, log, tmp_path, sample_report, form):
    (tmp_path / "report.json").write_bytes(sample_report)
    for name, path in (("of-log", log), ("of-report", tmp_path / "report.json")):
        finished = cli("report", path, "--format", form, "-o", name)
        assert finished.returncode == 0, finished.stderr
    assert (tmp_path / "of-log").read_bytes() == (tmp_path / "of-report").read_bytes()


def test_diff_takes_one_too(cli, log, tmp_path, sample_report):
    (tmp_path / "report.json").write_bytes(sample_report)
    finished = cli("diff", log, tmp_path / "report.json", "--format", "json")
    assert finished.returncode == 0, finished.stderr
    assert json.loads(finished.stdout)["lines"] == []


def test_a_directory_of_logs(cli, log, events):
    other = log.parent / "app-8.inprogress"
    other.write_text(text_of(START | {"App Name": "other", "App ID": "app-8"}, *events[1:-1]))
    (log.parent / "notes.txt").write_text("no event log")
    os.utime(log, (1_700_000_000, 1_700_000_000))
    newest = cli("report", log.parent, "--format", "json")
    assert json.loads(newest.stdout)["application"]["name"] == "other"
    assert "the newest of 2 applications, app-8" in newest.stderr
    chosen = cli("report", log.parent, "--application", "app-7", "--format", "json")
    assert json.loads(chosen.stdout)["application"]["name"] != "other"
    assert chosen.stderr == ""


def test_a_rolled_log(cli, log, events, sample_report):
    folder = log.parent / "eventlog_v2_app-7"
    folder.mkdir()
    (folder / "appstatus_app-7").touch()
    for number in range(12):  # 10 comes after 9, not after 1
        (folder / f"events_{number + 1}_app-7").write_text(text_of(*events[number::12]))
    assert json.loads(cli("report", folder, "--format", "json").stdout) == json.loads(sample_report)


def test_a_compacted_one_replaces_what_is_before(cli, log, events):
    folder = log.parent / "eventlog_v2_app-7"
    folder.mkdir()
    stale = part("executor", "stale", {"schemaVersion": 1, "stages": [], "executors": [{"id": "stale"}]})
    (folder / "events_1_app-7").write_text(text_of(stale))
    (folder / "events_2_app-7.compact").write_text(text_of(*events[:-1]))
    (folder / "events_3_app-7").write_text(text_of(events[-1]))
    report = json.loads(cli("report", folder, "--format", "json").stdout)
    assert "stale" not in {row["id"] for row in report["executors"]}
    assert report["unfinished"] is False


def test_one_that_is_being_compacted_is_whole_without_that(cli, log, events, sample_report):
    """The History Server writes the compacted file beside those that it replaces, and may end before it is done."""
    folder = log.parent / "eventlog_v2_app-7"
    folder.mkdir()
    (folder / "events_1_app-7").write_text(text_of(*events[:2]))
    (folder / "events_2_app-7").write_text(text_of(*events[2:-1]))
    (folder / "events_2_app-7.compact.inprogress").write_text(text_of(*events[:2])[:-9])
    (folder / "events_3_app-7").write_text(text_of(events[-1]))
    assert json.loads(cli("report", folder, "--format", "json").stdout) == json.loads(sample_report)


@pytest.mark.parametrize("ended", [True, False])
def test_a_gap_is_told_whether_or_not_the_log_has_its_end(cli, log, events, ended):
    folder = log.parent / "eventlog_v2_app-7"
    folder.mkdir()
    last = len(events) - (0 if ended else 1)
    for number in range(1, last + 1):
        if number not in (4, 6, 7):
            (folder / f"events_{number}_app-7").write_text(text_of(events[number - 1]))
    report = json.loads(cli("report", folder, "--format", "json").stdout)
    assert report["unfinished"] is not ended
    told = {entry["what"]: entry["why"] for entry in report["notAvailable"]}
    assert told["what was in missing files of the event log"] == ("not in its folder: events_4, events_6 to events_7")
    for number in (1, 2, 3):
        (folder / f"events_{number}_app-7").unlink()
    (folder / "events_8_app-7").rename(folder / "events_8_app-7.compact")
    report = json.loads(cli("report", folder, "--format", "json").stdout)
    assert "missing files" not in str(report["notAvailable"]), "what was compacted has all before it"


def test_a_rolled_log_of_which_only_a_later_file_is_left(cli, log, events):
    folder = log.parent / "eventlog_v2_app-7"
    folder.mkdir()
    (folder / "events_3_app-7").write_text('{"Event":"SparkListenerJobStart","Job ID":0}\n')
    finished = cli("report", folder)
    assert finished.returncode == 2
    assert "files are not in its folder: events_1 to events_2" in finished.stderr


def test_cut_in_the_middle(cli, log, events):
    text = log.read_text()
    log.write_text(text[: text.index('"part": "executor"') + 40])
    finished = cli("report", log, "--format", "json")
    report = json.loads(finished.stdout)
    assert report["unfinished"] is True
    assert len(report["stages"]) == sum(event.get("part") == "stage" for event in events)
    assert report["executors"] == []
    assert any("cut off in the middle" in entry["why"] for entry in report["notAvailable"])


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (text_of(START), "--conf spark.plugins=org.sparkmemprof.MemoryProfilerPlugin"),
        (text_of(START, ENVIRONMENT), "spark.memprof.eventLog.enabled"),
        (text_of(START, part("stage", "0.0", {}, version=9)), "schema version 9"),
        (text_of(START, part("stage", "0.0", [])), "damaged"),
        ('{"Event":"SparkListenerApplicationStart","App', "cut off"),
    ],
)
def test_bad_logs(cli, tmp_path, content, told):
    path = tmp_path / "app-1"
    path.write_text(content)
    finished = cli("report", path)
    assert finished.returncode == 2
    assert told in finished.stderr
    assert str(path) in finished.stderr
    assert len(finished.stderr.splitlines()) == 1


def test_a_rolled_log_without_files(cli, tmp_path):
    (tmp_path / "eventlog_v2_app-7").mkdir()
    finished = cli("report", tmp_path / "eventlog_v2_app-7")
    assert finished.returncode == 2
    assert "events_<number>_" in finished.stderr
