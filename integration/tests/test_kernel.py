"""A real ipykernel is the driver: lines have the numbers of its cells and the text that was typed there."""

import browsing
import pytest
from conftest import BESIDE_BYTES

pytestmark = pytest.mark.one_line("4")  # 10 s: a kernel, its application, a browser

FIRST, AGAIN, KILLED = "notebook cell 1", "notebook cell 4", "notebook cell 5"


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    return tmp_path_factory.mktemp("kernel") / "cell.html"


@pytest.fixture(scope="module")
def kernel(shared_run, package, cell):
    def run(**conf):
        ui = {"spark.ui.enabled": "true", "spark.ui.port": "0"}
        environment = {"PYTHONPATH": package}.items()
        return shared_run("kernel.py", cell, master="local[2,1]", conf=(ui | conf).items(), environment=environment)

    return run


@pytest.fixture(scope="module")
def run(kernel):
    return kernel().demand_success()


def lines_of(run):
    return {(row["file"], row["line"]): row for stage in run.report()["stages"] for row in stage["lines"]}


def test_lines_are_those_of_cells(run):
    lines = lines_of(run)
    assert lines[FIRST, 2]["source"] == "return len(bytearray(3_100_003))  # first"
    assert lines[FIRST, 2]["allocatedBytes"] >= 2 * 3_100_003
    assert lines[AGAIN, 3]["source"] == "return len(bytearray(3_300_013))  # block"
    assert ("notebook cell 3", 3) not in lines, "the same cell ran again: its user sees the later number"
    # IPython compiles it by itself, in a run of its own.
    assert lines["notebook cell 7", 2]["source"] == "return len(bytearray(3_600_011))  # captured"


def test_actions_are_those_of_cells(run):
    actions = {(action["function"], action["file"], action["line"]) for action in run.report()["driver"]["actions"]}
    assert {("sum", "notebook cell 4", 4), ("sum", KILLED, 6)} <= actions
    assert {("sum", FIRST, 5)} <= actions, "that ran before the profiler was there"


def test_a_cell_has_its_number_while_it_runs(run):
    failed = {number: error for number, error in enumerate(run.result(), 1) if error}
    assert list(failed) == [5], failed  # the sixth looks itself


def test_a_script_that_was_run_is_read_in_the_driver(run):
    """It had been deleted when its function ran."""
    (line,) = [row for (file, _), row in lines_of(run).items() if file.endswith("/script.py")]
    assert (line["line"], line["source"]) == (2, "return len(bytearray(3_700_027))  # ran")


def test_a_death_is_told_with_its_cell(run):
    (death,) = run.report()["postMortems"]
    of_python = [site for site in death["sites"] if site["origin"] == "python"]  # the JVM's heap has no such figure
    (site,) = [site for site in of_python if 0 <= site["liveAtPeakBytes"] - 90_000_050 < BESIDE_BYTES]
    assert (site["frames"][-1]["file"], site["frames"][-1]["line"]) == (KILLED, 3)
    assert f"sparkmemprof: {death['headline']}" in run.result()[4]


def test_a_cell_shows_it_in_a_browser(run, cell):
    with browsing.chromium() as browser, browsing.window(browser) as seen:
        seen.page.goto(cell.as_uri())
        frame = seen.page.frame_locator("iframe")
        frame.get_by_role("link", name="UDFs and lines").click()
        row = frame.locator("tbody tr", has_text=f"{AGAIN}, line 3").first
        row.wait_for()
        assert "bytearray(3_300_013)" in row.inner_text()
        seen.demand_quiet()


@pytest.mark.full
@pytest.mark.parametrize("source", ["names", "none"])
def test_what_must_not_be_shown_is_not(kernel, source):
    found = kernel(**{"spark.memprof.source": source})
    lines = lines_of(found)
    assert ((AGAIN, 3) in lines) == (source == "names")
    assert not [row for row in lines.values() if row["source"]]
    assert "bytearray" not in str(found.report()["stages"])
