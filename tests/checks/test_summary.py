"""What tests/summary.py calls red."""

import json
import pathlib
import subprocess
import sys

import pytest

SUMMARY = pathlib.Path(__file__).resolve().parents[1] / "summary.py"
PASSED = '<testcase classname="test_any" name="test_passes" time="0.25"/>'
FAILED = '<testcase classname="test_any" name="test_fails" time="1"><failure message="1 == 2"/></testcase>'
EXPECTED = (
    '<testcase classname="tests.test_kinds" name="test_kind[3.5]"><skipped message="Spark 3.5 has no such kind: A"/>'
    "</testcase>"
)
FLAKY, TWICE_FLAKY = (
    '<testcase classname="test_any" name="test_flickers" time="1"><properties>'
    + times * '<property name="rerun" value="another thread was first"/>'
    + "</properties></testcase>"
    for times in (1, 2)
)
OTHER = '<testcase classname="test_any" name="test_skips"><skipped message="no such thing here"/></testcase>'


@pytest.fixture
def summary(tmp_path):
    """Of one suite: (exit status, what was printed, summary.json)."""

    def run(cases, status, steps=()):
        (tmp_path / "jvm.seconds").write_text("7\n")
        if cases is not None:
            (tmp_path / "jvm.xml").write_text(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
        if status is not None:
            (tmp_path / "jvm.status").write_text(f"{status}\n")
        written = tmp_path / "summary.json"
        words = ["jvm", "--commit", "c0ffee", "--dirty", "false", "--tier", "landing", "--write", written]
        for step in steps:
            words += ["--step", step]
        finished = subprocess.run(
            [sys.executable, SUMMARY, tmp_path, *words], capture_output=True, text=True, check=False
        )
        assert finished.stderr == ""
        return finished.returncode, finished.stdout, json.loads(written.read_text())

    return run


def test_green(summary):
    status, printed, written = summary(PASSED + EXPECTED, 0)
    assert status == 0
    assert printed.splitlines()[-1] == "1 passed, 0 failed, 1 skipped"
    assert written == {
        "commit": "c0ffee",
        "dirty": False,
        "tier": "landing",
        "passed": 1,
        "failed": 0,
        "skipped": 1,
        "flaky": [],
        "seconds": {"jvm": 7},
    }


def test_downloads_are_apart(summary):
    steps = ["30\tapt: installing ccache", "20\tcmake: building release", "10\tthird-party libraries"]
    _, printed, _ = summary(PASSED, 0, steps)
    assert "    67  in all; 27 without downloads and third-party libraries" in printed.splitlines()


def test_two_tests_that_were_run_again_are_red(summary):
    other = FLAKY.replace("test_flickers", "test_flickers_too")
    status, printed, written = summary(PASSED + FLAKY + other, 0)
    assert status == 1
    assert written["failed"] == 1
    assert len(written["flaky"]) == 2
    assert "FAILED  reruns: 2 tests were run again" in printed


def test_one_rerun_is_flaky(summary):
    status, printed, written = summary(PASSED + FLAKY, 0)
    assert status == 0
    assert "FLAKY   jvm: test_any.test_flickers: another thread was first" in printed.splitlines()
    assert printed.splitlines()[-2:] == ["1 flaky", "2 passed, 0 failed, 0 skipped"]
    assert written["flaky"] == ["jvm: test_any.test_flickers"]


@pytest.mark.parametrize(
    ("cases", "status", "told"),
    [
        (PASSED + FAILED, 1, "FAILED  jvm: test_any.test_fails: 1 == 2"),
        (PASSED, 143, "FAILED  jvm: none of its tests failed, but its exit status is 143"),
        (PASSED, None, "FAILED  jvm: none of its tests failed, but its exit status is unknown: it was cut off"),
        (None, 2, "FAILED  jvm: the suite ran no test or wrote no result; its exit status: 2"),
        ("", 0, "FAILED  jvm: the suite ran no test or wrote no result; its exit status: 0"),
        (EXPECTED, 0, "FAILED  jvm: all of its tests were skipped"),
        (
            PASSED + TWICE_FLAKY,
            0,
            "FAILED  jvm: test_any.test_flickers: it was run again 2 times: "
            "another thread was first; another thread was first",
        ),
        (
            PASSED + OTHER,
            0,
            "FAILED  jvm: test_any.test_skips: a skip that expected_skips.txt doesn't know: no such thing here",
        ),
    ],
)
def test_red(summary, cases, status, told):
    ended, printed, written = summary(cases, status)
    assert ended == 1
    assert written["failed"] == 1
    assert told in printed.splitlines()
