"""What is held beside the tasks' own data: by imported top-level modules, and by a program that a task starts."""

import pytest
from conftest import BESIDE_BYTES, Launcher, warnings_of

pytestmark = pytest.mark.one_line

PROGRAM_BYTES = 333_000_003
PACKAGE_BYTES, OUTER_BYTES, INNER_BYTES = 7_654_322, 5_432_102, 3_210_988  # a bytearray asks for one byte more


@pytest.fixture(scope="session")
def report(spark, jar, tmp_path_factory):
    run = Launcher(spark.as_shipped(), jar, tmp_path_factory.mktemp("imports"))("imports.py", master="local[1]")
    run.demand_success()
    assert warnings_of(run) == []
    assert run.result() == [30, 5_432_131, 30, PROGRAM_BYTES]
    return run.report()


@pytest.fixture
def baseline(report):
    (worker,) = [p for executor in report["executors"] for p in executor["processes"] if p["kind"] == "python-worker"]
    return worker["baseline"]


@pytest.mark.parametrize(
    ("module", "own", "with_imports"),
    [
        ("oddpackage", PACKAGE_BYTES, PACKAGE_BYTES),  # imported to unpickle the first task's function
        ("odd_outer", OUTER_BYTES, OUTER_BYTES + INNER_BYTES),  # imported inside the second's
        ("odd_inner", INNER_BYTES, INNER_BYTES),
    ],
)
def test_blocks_of_modules(baseline, module, own, with_imports):
    (row,) = [row for row in baseline["modules"] if row["name"] == module]
    assert 0 <= row["liveBytes"] - own < BESIDE_BYTES
    assert 0 <= row["withImportsBytes"] - with_imports < BESIDE_BYTES


def test_resident_memory_before_the_first_task(baseline, report):
    assert baseline["startRssBytes"] > 10_000_000
    assert baseline["firstTaskRssBytes"] - baseline["startRssBytes"] >= PACKAGE_BYTES
    assert baseline["firstTaskRssBytes"] < baseline["startRssBytes"] + 100_000_000
    assert "daemon had imported" in str(report["notAvailable"])


def test_what_pyspark_itself_imports(baseline, line):
    """Where the daemon hasn't imported it before it forked the worker, unprofiled."""
    names = [row["name"] for row in baseline["modules"]]
    assert ("pyspark" in names) == (line == "4")


def test_a_program_that_a_task_starts_is_a_process_of_its_own(report):
    (executor,) = report["executors"]
    (program,) = [process for process in executor["processes"] if process["kind"] == "program"]
    assert program["name"] == "dd"
    assert 0 <= program["peakRssBytes"] - PROGRAM_BYTES < 4 << 20
    assert "dd" in [process["name"] for process in executor["atPeak"]["processes"]]
    (overhead,) = [region for region in executor["regions"] if region["name"] == "overhead"]
    assert overhead["peakBytes"] > PROGRAM_BYTES, "it is beside the JVM"
    life = {series["name"]: series["bytes"] for series in executor["timeline"]["series"]}
    assert max(filter(None, life["programs"])) == pytest.approx(program["peakRssBytes"], abs=1 << 20)
