"""`sparkmemprof report` for other tools: they read what it writes, and find the report's figures in it."""

import csv
import gzip
import json
import shutil
import subprocess

import pytest


@pytest.fixture
def report(tmp_path, sample_report):
    path = tmp_path / "report.json"
    path.write_bytes(sample_report)
    return path


@pytest.fixture
def model(sample_report):
    return json.loads(sample_report)


def total_allocated(model):
    return sum(row["allocatedBytes"] for stage in model["stages"] for row in stage["totals"])


def the_site(model):
    """(stage, site) of the largest of the sample."""
    found = [(stage, site) for stage in model["stages"] for site in stage["sites"]]
    return max(found, key=lambda pair: pair[1]["liveAtPeakBytes"] or 0)


def test_csv_has_a_row_for_each_site_and_for_what_found_no_place(cli, report, model, tmp_path):
    finished = cli("report", report, "-o", "sites.csv")
    assert finished.returncode == 0, finished.stderr
    with open(tmp_path / "sites.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert sum(int(row["allocatedBytes"]) for row in rows) == total_allocated(model)
    stage, site = the_site(model)
    (row,) = [row for row in rows if row["liveAtPeakBytes"] == str(site["liveAtPeakBytes"])]
    assert (row["stageId"], row["origin"], row["function"], row["line"]) == (
        str(stage["stageId"]),
        "python",
        "with_cpp",
        "27",
    )
    assert row["residentAtPeakBytes"] == str(site["residentAtPeakBytes"])
    assert row["residentInPart"] == str(site["residentInPart"]).lower()
    assert row["residentLaterBytes"] == str(site.get("residentLaterBytes", ""))
    assert row["stack"].endswith("with_cpp (averages.py:27) > weighted_average (weighted_average.cc:21)")
    unmeasured = [row for row in rows if row["origin"] == "jvm-heap"]
    assert unmeasured
    assert all(row["liveAtPeakBytes"] == "" for row in unmeasured), "not measured is not zero"


def test_csv_has_the_share_of_the_stages_time_in_collections(cli, report, model, tmp_path):
    for stage in model["stages"]:
        stage["gcPercent"] = 7.25 if stage["stageId"] == the_site(model)[0]["stageId"] else None
    report.write_text(json.dumps(model))
    finished = cli("report", report, "-o", "sites.csv")
    assert finished.returncode == 0, finished.stderr
    with open(tmp_path / "sites.csv", newline="") as file:
        shares = {(row["stageId"], row["stageGcPercent"]) for row in csv.DictReader(file)}
    assert (str(the_site(model)[0]["stageId"]), "7.25") in shares
    assert {share for _, share in shares} <= {"7.25", ""}


def test_csv_gives_spreadsheets_no_formula(cli, report, model):
    _, site = the_site(model)
    site["udfName"] = '=HYPERLINK("x")'
    report.write_text(json.dumps(model))
    text = cli("report", report, "--format", "csv").stdout
    assert '"\'=HYPERLINK(""x"")"' in text


@pytest.mark.full
def test_pprof_is_read_by_pprof(cli, report, model, tmp_path):
    if shutil.which("go") is None:
        pytest.skip("no Go here, whose `go tool pprof` would read it")
    assert cli("report", report, "-o", "job.pb.gz").returncode == 0
    assert gzip.decompress((tmp_path / "job.pb.gz").read_bytes())
    command = ["go", "tool", "pprof", "-top", "-unit=B", "-sample_index=live_at_peak_space", "job.pb.gz"]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr
    _, site = the_site(model)
    assert any(
        str(site["liveAtPeakBytes"]) in line and "weighted_average" in line for line in shown.stdout.splitlines()
    ), shown.stdout


def test_flamegraph_takes_the_measure(cli, report, model):
    _, site = the_site(model)
    for measure, key in (("live", "liveAtPeakBytes"), ("resident", "residentAtPeakBytes")):
        text = cli("report", report, "--format", "flamegraph", "--measure", measure).stdout
        assert f";weighted_average (weighted_average.cc:21) {site[key]}\n" in text
    allocated = cli("report", report, "--format", "flamegraph").stdout
    assert sum(int(line.rpartition(" ")[2]) for line in allocated.splitlines()) == total_allocated(model)


def test_speedscope_is_chosen_by_the_files_ending(cli, report, model, tmp_path):
    assert cli("report", report, "-o", "job.speedscope.json").returncode == 0
    file = json.loads((tmp_path / "job.speedscope.json").read_text())
    assert file["profiles"][0]["endValue"] == total_allocated(model)
    assert file["name"] == model["application"]["name"]


def test_measure_is_for_flamegraphs(cli, report):
    finished = cli("report", report, "--format", "csv", "--measure", "live")
    assert finished.returncode == 2
    assert "--measure is for --format flamegraph" in finished.stderr
