"""Which action ran a stage, and what came back of it: the driver's page, and the links to it."""

import models
from playwright.sync_api import expect


def of_job(job, stages, started, **more):
    site = f"collect at /jobs/job.py:{50 + job}"
    return models.action(job, stages, 1_000_003 + job, 1, 1, startedMs=started, callSite=site, line=50 + job, **more)


def test_an_action_ran_no_stage_whose_output_it_reused(wide, html_file):
    """Stage 2 was submitted before job 7 began, so an action without a row has run it; stage 5 is of job 7."""
    stages = [models.stage(number, [models.python_site("features", 17, 7_000_003)]) for number in (2, 5)]
    began = stages[1]["submittedMs"] - 100
    later = of_job(7, [2, 5], began)
    again = of_job(8, [2, 5], began + 5_000)
    rows = {"maxResultBytes": 2_097_152, "actions": [later, again], "otherActions": None}
    address = html_file(models.report([], stages, driver=rows))
    wide.open(f"{address}#/stages/5.0")
    assert "run by collect at job.py:57 job 7" in wide.text()
    wide.open(f"{address}#/stages/2.0")
    assert "run by" not in wide.text()
    wide.open(f"{address}#/driver")
    spent = [cell.inner_text() for cell in wide.page.locator("tbody td[data-label='Memory was spent in']").all()]
    assert sorted("Stage 5" in each for each in spent) == [False, True]
    assert not any("Stage 2" in each for each in spent)


def test_results_that_are_not_listed_are_counted(wide, html_file):
    one = of_job(1, [2], 1_700_000_001_000)
    results = [one["results"][0] | {"stageId": number, "resultBytes": 9_001 - number} for number in range(7)]
    rows = {"maxResultBytes": 2_097_152, "actions": [one | {"results": results}], "otherActions": None}
    wide.open(f"{html_file(models.report([], [], driver=rows))}#/driver")
    told = wide.page.locator("td.column-action li")
    expect(told).to_have_count(5)
    expect(told.last).to_have_text("and 3 smaller stages")
