"""`sparkmemprof report`: finds the right report, shows it in every form, and says what is wrong in one line."""

import errno
import importlib
import json
import os
import stat

import pytest


@pytest.fixture
def reports(tmp_path, sample_report):
    """A report directory of two applications, app-2 the newer."""
    for number in (1, 2):
        folder = tmp_path / "reports" / f"app-{number}"
        folder.mkdir(parents=True)
        content = json.loads(sample_report)
        content["application"]["name"] = f"job {number}"
        (folder / "report.json").write_text(json.dumps(content))
        os.utime(folder / "report.json", (1_700_000_000 + number, 1_700_000_000 + number))
    return tmp_path / "reports"


def test_file_folder_and_directory_are_found(cli, reports):
    for path in (reports / "app-1" / "report.json", reports / "app-1"):
        finished = cli("report", path)
        assert finished.returncode == 0, finished.stderr
        assert "job 1" in finished.stdout.splitlines()[0]
        assert finished.stderr == ""
    finished = cli("report", reports)
    assert "job 2" in finished.stdout.splitlines()[0], "the newest"
    assert "the newest of 2 applications, app-2" in finished.stderr


def test_application_is_chosen_by_id(cli, reports):
    finished = cli("report", reports, "--application", "app-1")
    assert "job 1" in finished.stdout
    assert finished.stderr == ""


def test_later_attempts_of_yarns_are_named(cli, reports):
    for name, folder in [("application_17_0001", "app-1"), ("application_17_0001_10", "app-2")]:
        (reports / folder).rename(reports / name)
    (reports / "application_17_0001_2").symlink_to("application_17_0001_10")
    (reports / "application_17_00012").symlink_to("application_17_0001_10")
    finished = cli("report", reports, "--application", "application_17_0001")
    assert "job 1" in finished.stdout
    assert finished.stderr == (
        "sparkmemprof: that is the first attempt of application_17_0001; --application shows later ones: "
        "application_17_0001_2, application_17_0001_10\n"
    )
    finished = cli("report", reports, "--application", "application_17_0001_10")
    assert "job 2" in finished.stdout
    assert finished.stderr == ""


def test_text_shows_the_line_and_its_native_frame(cli, reports):
    text = cli("report", reports / "app-1").stdout
    assert "averages.py:27  with_cpp" in text
    assert "└ weighted_average" in text
    assert "\x1b" not in text, "no colour into a pipe"


def test_json_is_the_same_model(cli, reports):
    finished = cli("report", reports / "app-1", "--format", "json")
    assert json.loads(finished.stdout) == json.loads((reports / "app-1" / "report.json").read_text())


def test_html_goes_to_a_private_file_chosen_by_its_name(cli, reports, tmp_path):
    finished = cli("report", reports / "app-1", "-o", "out.html")
    assert finished.returncode == 0
    assert finished.stdout == ""
    html = (tmp_path / "out.html").read_text()
    assert html.startswith("<!doctype html>")
    assert "averages.py" in html
    assert "<script>alert" not in html
    assert stat.S_IMODE((tmp_path / "out.html").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob(".sparkmemprof-*")] == []


def refused(finished, *parts):
    assert finished.returncode == 2
    assert finished.stderr.startswith("error: ")
    assert "Traceback" not in finished.stderr
    for part in parts:
        assert part in finished.stderr, finished.stderr


def test_missing(cli):
    refused(cli("report", "nowhere"), "no such file or directory: nowhere")


def test_directory_without_reports(cli, tmp_path):
    (tmp_path / "empty" / "app-9").mkdir(parents=True)
    refused(cli("report", "empty"), "no report in empty")


def test_unknown_application(cli, reports):
    refused(cli("report", reports, "--application", "app-7"), "'app-7'", "app-2, app-1")


def test_an_application_is_not_chosen_from_one_file(cli, reports, tmp_path):
    """Another application's report must not be taken for it."""
    one = reports / "app-1"
    (tmp_path / "saved.json").write_bytes((one / "report.json").read_bytes())
    (tmp_path / "app-2.zstd").write_bytes(b"\x28\xb5\x2f\xfd")
    for path in (one / "report.json", one):
        assert "job 1" in cli("report", path, "--application", "app-1").stdout
    for path in (one / "report.json", tmp_path / "saved.json", tmp_path / "app-2.zstd"):
        refused(cli("report", path, "--application", "app-7"), str(path), "not named after application 'app-7'")
    refused(cli("report", one, "--application", "app-7"), "no report of application 'app-7'", "there: app-1")
    (reports / "latest").symlink_to(one)
    assert "job 1" in cli("report", reports / "latest" / "report.json", "--application", "app-1").stdout
    assert "job 1" in cli("report", "report.json", "--application", "app-1", cwd=one).stdout


@pytest.mark.parametrize(
    ("content", "reason"),
    [("", "not JSON"), ("{}", "not a sparkmemprof report"), ('{"schemaVersion": 1,', "not JSON")],
)
def test_not_a_report(cli, tmp_path, content, reason):
    (tmp_path / "report.json").write_text(content)
    for form in ("text", "html", "json"):
        refused(cli("report", "report.json", "--format", form), reason)


def test_report_of_another_version(cli, tmp_path):
    (tmp_path / "report.json").write_text('{"schemaVersion": 2, "executors": [], "stages": []}')
    refused(cli("report", "report.json"), "schema version 2")


def test_no_access(package, reports, monkeypatch):
    """Root may read everything, so the refusal is played."""
    monkeypatch.syspath_prepend(str(package))
    report_files = importlib.import_module("sparkmemprof.cli.report_files")
    errors = importlib.import_module("sparkmemprof.cli.errors")

    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(report_files.os, "listdir", refuse)
    with pytest.raises(errors.UserError, match=r"no access to .*reports"):
        report_files.find_report(reports)


def test_output_that_cannot_be_written(cli, reports):
    refused(cli("report", reports, "-o", "/nowhere/out.html"), "cannot write /nowhere/out.html")


def test_version_and_help(cli):
    assert cli("--version").stdout.startswith("sparkmemprof 0.")
    for words in ([], ["submit"], ["report"], ["conf"]):
        finished = cli(*words, "--help")
        assert finished.returncode == 0
        assert "sparkmemprof" in finished.stdout
