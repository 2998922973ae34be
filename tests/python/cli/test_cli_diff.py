"""`sparkmemprof diff`: what changed from one run to another."""

import json
import os
import re

import pytest

LINE = "averages.py"


@pytest.fixture
def runs(tmp_path, sample_report):
    """Folders of two applications: in the second, a line holds 77,000,001 bytes more and is ten lines further down."""
    for number in (1, 2):
        report = json.loads(sample_report)
        report["application"]["id"] = f"app-{number}"
        for stage in report["stages"]:
            for line in stage["lines"]:
                line["source"] = f"{line['function']}_{line['line']}()"
                if number == 2 and line["function"] == "with_cpp":
                    line["line"] += 10
                    line["liveAtPeakBytes"] += 77_000_001
        folder = tmp_path / "runs" / f"app-{number}"
        folder.mkdir(parents=True)
        (folder / "report.json").write_text(json.dumps(report))
        os.utime(folder / "report.json", (1_700_000_000 + number, 1_700_000_000 + number))
    return tmp_path / "runs"


def test_text_shows_the_line_its_place_now_and_its_change(cli, runs):
    finished = cli("diff", runs / "app-1", runs / "app-2")
    assert finished.returncode == 0, finished.stderr
    (row,) = [line for line in finished.stdout.splitlines() if LINE in line]
    assert row.split()[:2] == ["+73.4", "MiB"]
    assert f"{LINE}:37  with_cpp" in row
    assert "│ with_cpp_27()" in finished.stdout
    assert "before  app-1" in finished.stdout
    assert "\x1b" not in finished.stdout


def test_json_has_the_figures(cli, runs, tmp_path):
    finished = cli("diff", runs / "app-1" / "report.json", runs, "-o", "change.json")
    assert finished.returncode == 0, finished.stderr
    assert "the newest of 2 applications, app-2" in finished.stderr
    change = json.loads((tmp_path / "change.json").read_text())
    (line,) = change["lines"]
    assert (line["liveAtPeakChangeBytes"], line["allocatedChangeBytes"]) == (77_000_001, 0)
    assert (line["before"]["line"], line["after"]["line"]) == (27, 37)
    sums = change["sums"]
    assert sums["postMortems"]["before"] == sums["postMortems"]["after"] == 1


def test_html_is_the_later_report_with_the_earlier_one_in_it(cli, runs, tmp_path):
    finished = cli("diff", runs / "app-1", runs / "app-2", "-o", "change.html")
    assert finished.returncode == 0, finished.stderr
    page = (tmp_path / "change.html").read_text()
    models = dict(re.findall(r'id="sparkmemprof-(model|before)">(.*?)</script>', page))
    found = {which: json.loads(text)["application"]["id"] for which, text in models.items()}
    assert found == {"model": "app-2", "before": "app-1"}


def test_a_run_compared_with_itself_has_not_changed(cli, runs):
    assert "none has changed" in cli("diff", runs / "app-1", runs / "app-1").stdout


def test_the_one_that_cannot_be_read_is_named(cli, runs):
    broken = runs / "app-2" / "report.json"
    broken.write_text("[]")
    finished = cli("diff", runs / "app-1", runs / "app-2")
    assert finished.returncode == 2
    assert finished.stderr.startswith(f"error: {broken}: ")
    assert finished.stdout == ""


def test_help(cli):
    text = cli("diff", "--help").stdout
    assert "BEFORE AFTER" in text
    assert "sparkmemprof diff before.json after.json" in text


def test_files_of_one_name_are_told_apart(cli, runs):
    for number in (1, 2):
        path = runs / f"app-{number}" / "report.json"
        report = json.loads(path.read_text())
        lines = next(
            stage["lines"] for stage in report["stages"] if any(row["function"] == "with_cpp" for row in stage["lines"])
        )
        line = next(row for row in lines if row["function"] == "with_cpp")
        line["file"] = "/jobs/web/utils.py"
        lines.append(line | {"file": "/jobs/etl/utils.py", "liveAtPeakBytes": 5 * number})
        path.write_text(json.dumps(report))
    finished = cli("diff", runs / "app-1", runs / "app-2")
    assert finished.returncode == 0, finished.stderr
    assert re.search(r"^ +\+73\.4 MiB .* web/utils\.py:37 ", finished.stdout, re.MULTILINE), finished.stdout
    assert re.search(r"^ +\+5 B .* etl/utils\.py:37 ", finished.stdout, re.MULTILINE), finished.stdout
