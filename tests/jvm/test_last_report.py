"""The report of a driver's JVM that ends before Java code has written it."""

import json
import stat

import pytest


@pytest.mark.parametrize(("ending", "status"), [("full", None), ("halt", 6)])
def test_it_is_written_without_java(java, tmp_path, ending, status):
    """In a full heap the JVM starts its shutdown hooks by chance only; halt passes them over."""
    place = tmp_path / "reports"
    place.mkdir()
    outcome = java.run("LastReport", ending, str(place), jvm=["-Xmx64m"])
    assert outcome.status == status or (status is None and outcome.status != 0)
    assert ending == "full" or "a hook ran" not in outcome.out
    report = json.loads((place / "report.json").read_text())
    assert not report["unfinished"]
    assert report["application"]["endedMs"] is not None
    assert [death["executorId"] for death in report["postMortems"]] == ["7"]
    assert "the last news of executors" in [line["what"] for line in report["notAvailable"]]
    assert b"<html" in (place / "report.html").read_bytes()
    assert {stat.S_IMODE(each.stat().st_mode) for each in place.iterdir()} == {0o600}
    assert len(list(place.iterdir())) == 2
    assert outcome.err.count("sparkmemprof: post-mortem\n  Executor 7") == 1
    assert f"sparkmemprof: report in {place}\n" in outcome.err


def test_where_only_java_could_write_it_is_told(java17):
    outcome = java17.run("LastReport", "halt", "", jvm=["-Xmx64m"])
    assert outcome.status == 6
    assert "sparkmemprof: post-mortem\n  Executor 7" in outcome.err
    assert "sparkmemprof: the report was not written (native code has no directory for it); its summary" in outcome.err


def test_a_directory_that_is_gone(java17, tmp_path):
    outcome = java17.run("LastReport", "halt", str(tmp_path / "gone"), jvm=["-Xmx64m"])
    assert outcome.status == 6
    assert "sparkmemprof: the report was not written (cannot make " in outcome.err
    assert "its summary\nsparkmemprof · job (app-1)" in outcome.err


def test_what_java_has_written_is_not_written_again(java17, tmp_path):
    outcome = java17.run("LastReport", "closed", str(tmp_path), jvm=["-Xmx64m"])
    assert (outcome.status, outcome.err) == (0, "")
    assert not (tmp_path / "report.json").exists()
