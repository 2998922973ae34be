"""Native libraries that crash Python workers: which signal, where, and that it was not memory."""

import pytest
from conftest import BUILD, line_of

pytestmark = pytest.mark.one_line


@pytest.fixture(scope="module")
def crashed(shared_run):
    run = shared_run("deaths.py", "native", BUILD / "tests/native/libcrash.so", master="local[2,4]").demand_success()
    assert run.result() == 1003, "Spark's next attempts do the work"
    return run


@pytest.mark.parametrize(
    ("at", "end"),
    [(0, ("SIGSEGV", 139, "crash_here", "fault", "faults")), (1, ("SIGABRT", 134, "abort_here", "abort", "aborts"))],
    ids=["segfault", "abort"],
)
def test_a_crash_is_told_with_its_signal_and_place(crashed, at, end):
    signal, code, function, marker, udf = end
    deaths = crashed.report()["postMortems"]
    assert len(deaths) == 2, [death["headline"] for death in deaths]
    death = deaths[at]
    assert death["process"] == "python-worker"
    assert death["exitCode"] == code
    assert death["outOfMemory"] is False
    assert death["advice"] == []
    assert signal in death["how"]
    assert death["addressSpace"] is None
    python = [frame for frame in death["stack"] if frame["language"] == "python"]
    assert python[-1]["line"] == line_of("deaths.py", marker)
    function_of_line = python[-1]["function"]  # with its outer functions' names from Python 3.11 on
    assert function_of_line.split(".")[-1] == udf
    native = [frame for frame in death["stack"] if frame["language"] == "native"]
    assert function in [frame["function"] for frame in native]
    line = line_of("deaths.py", marker)
    place = f"{signal} in {function} (libcrash.so), called at deaths.py:{line} {function_of_line}"
    assert f"crashed, not of memory: {place}" in death["headline"]
    told = " ".join(crashed.stderr.split())
    assert " ".join(death["headline"].split("; ")[0].split()) in told
