"""sparkmemprof.show() of the application that runs, without a Spark UI, and where nobody but alice may view it there:
text at the prompt, the app in a cell, working in its frame."""

import browsing
import pytest
from conftest import line_of

JOB = "notebook.py"
ACLS = {"spark.acls.enable": "true", "spark.ui.view.acls": "alice"}


pytestmark = pytest.mark.one_line("4")


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    """Where the job writes what a notebook's cell would show."""
    return tmp_path_factory.mktemp("notebook") / "cell.html"


@pytest.fixture(scope="module")
def run(shared_run, package, cell):
    return shared_run(
        JOB,
        cell,
        conf=ACLS,
        environment={"PYTHONPATH": package}.items(),
    ).demand_success()


def places():
    """The lines of the job before and after sparkmemprof.show()."""
    return (f"{JOB}:{line_of(JOB, marker)}" for marker in ("block", "another"))


def test_the_prompt_shows_the_running_application(run):
    text, name, cleared = run.result()
    place, later = places()
    assert place in text
    assert later not in text
    assert place not in cleared
    assert later in cleared
    kept = [line["line"] for stage in run.report()["stages"] for line in stage["lines"]]
    assert {line_of(JOB, "block"), line_of(JOB, "another")} <= set(kept), "the application's report has everything"
    assert name == "notebook"


@pytest.mark.full  # test_kernel.py has it in a real kernel's page, where Spark has a UI
def test_a_cell_shows_it_in_a_browser(run, cell):
    place, _ = places()
    with browsing.chromium() as browser, browsing.window(browser) as seen:
        seen.page.goto(cell.as_uri())
        frame = seen.page.frame_locator("iframe")
        frame.get_by_role("heading", name="notebook").wait_for()
        frame.get_by_role("link", name="UDFs and lines").click()
        frame.locator("tbody tr", has_text=place).first.wait_for()
        assert seen.page.title() == "cell", "links lead within the frame"
        seen.demand_quiet()
