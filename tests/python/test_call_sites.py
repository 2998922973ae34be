"""call_sites.py in a driver of real pyspark, 3.5 and 4: what Spark calls the actions of DataFrames."""

import pytest
from conftest import JOBS, line_of, on

JOB = JOBS / "call_sites.py"


def place(function, marker):
    return f"{function} at {JOB}:{line_of(JOB, f'# {marker}')}"


@on("4")
def test_actions_have_the_lines_of_the_program(run_job):
    result, _ = run_job("call_sites")
    *alone, own_words, fresh, of_library, one, other = result["told"]
    assert fresh == place("count", "in a fresh thread")
    assert alone == [place("count", "counted"), place("save", "refused"), place("save", "after others")]
    assert own_words == "the program's own words"
    assert "Accessor" in of_library, "the bridge, and no line of threading.py"
    assert {one, other} == {place("save", "in the first thread"), place("save", "in the second thread")}
    assert place("rdd", "an RDD of it") in result["jobs"], "the shuffle before it"
    after_it = [None, None]
    assert result["left"] == [None, None, "collect at /jobs/other.py:7", "the program's own words", after_it, None]
    assert result["running"] == [1], "exit() in a signal's handler waits for no job"
    assert result["members"] == ["JavaMember", "Action", "Step", "JavaMember"]
    assert result["left of plan"] is None


@pytest.mark.full
@on("4")
def test_threads_of_the_jvms_that_serve_any_thread_are_told_nothing(run_job, monkeypatch):
    monkeypatch.setenv("PYSPARK_PIN_THREAD", "false")
    result, _ = run_job("call_sites", "not pinned")
    assert not [told for told in result["told"] if told.startswith(("count at /", "save at /"))]
    assert len(result["told"]) == 8
