"""The tables: in which order rows stand, and that each row is one."""

import models
import pytest
from playwright.sync_api import expect


@pytest.mark.parametrize("order", ["descending", "ascending"])
def test_what_was_not_measured_comes_last(wide, html_file, order):
    """Whichever way a column is sorted: a dash is no small figure."""
    executors = [models.executor(number, 900_000_001 + 10_000_019 * number, 2_684_354_560) for number in range(4)]
    executors[2] |= {"atPeak": None}
    wide.open(f"{html_file(models.report(executors))}#/executors")
    for name in ("peak", "share"):
        header = wide.page.locator(f"th.column-{name}")
        for each in ("descending", "ascending")[: 1 if order == "descending" else 2]:
            header.get_by_role("button").click()
            expect(header).to_have_attribute("aria-sort", each)
        ids = [link.inner_text() for link in wide.page.locator("tbody td.column-executor a.strong").all()]
        measured = ["Executor 0", "Executor 1", "Executor 3"]
        assert ids == [*(reversed(measured) if order == "descending" else measured), "Executor 2"], name


def test_a_line_of_two_kinds_of_udf_has_two_rows(wide, html_file):
    """One function, registered twice: each row opens by itself and keeps its figures."""
    sites = [models.python_site("features", 17, live) for live in (300_000_007, 200_000_009)]
    sites[1]["udfKind"] = "BATCHED_UDF"
    wide.open(f"{html_file(models.report([], [models.stage(2, sites)]))}#/lines")
    rows = wide.page.locator("tbody tr:not(.detail)", has_text="job.py:17")
    expect(rows).to_have_count(2)
    rows.first.get_by_role("button").click()
    expect(wide.page.locator("tr.detail")).to_have_count(1)
    wide.page.locator("th.column-live button").click()
    expect(rows.first).to_contain_text("BATCHED_UDF")
    expect(rows.last).to_contain_text("SCALAR_PANDAS_UDF")


def test_what_lies_in_storage_of_a_running_application_is_not_its_end(wide, html_file):
    cached = {
        "rddId": 4,
        "name": "orders",
        "callSite": None,
        "storageLevel": "MEMORY_AND_DISK",
        "deserialized": True,
        "mode": "onHeap",
        "partitions": 3,
        "blocks": 1,
        "memoryBytes": 5_000_011,
        "diskBytes": 0,
        "peakBlocks": 3,
        "peakMemoryBytes": 9_000_017,
        "peakDiskBytes": 0,
        "executors": [],
    }
    wide.open(f"{html_file(models.report(unfinished=True, cachedData=[cached]))}#/executors")
    cell = wide.page.locator("td[data-label='In memory, last known'] .figure")
    assert cell.get_attribute("title") == "5,000,011 bytes"
    assert "at the end" not in wide.text()


def test_copies_of_cached_blocks_are_no_further_partitions(wide, html_file):
    cached = models.cached(4, "orders", 9_000_017, True) | {"partitions": 100, "peakBlocks": 200, "peakPartitions": 100}
    wide.open(f"{html_file(models.report(cachedData=[cached]))}#/executors")
    cell = wide.page.locator("td[data-label='Blocks']")
    assert cell.inner_text().split() == ["100", "of", "100", "in", "200", "blocks"]


def test_errors_that_are_not_shown_are_counted(wide, html_file):
    errors = [{"message": f"ValueError: {number}", "tasks": 9 - number} for number in range(5)]
    stage = models.stage(2, [])
    stage["otherAttempts"] |= {"tasks": 60, "failed": 60, "errors": errors, "otherErrorTasks": 25}
    wide.open(f"{html_file(models.report(stages=[stage]))}#/stages/2.0")
    rows = wide.page.locator("ul.errors li").all_inner_texts()
    assert len(rows) == 6
    assert rows[-1].split() == ["other", "errors", "25", "tasks"]
