"""The page of an executor: its heap after collections, and what no running task holds beside the heap."""

import re

import pytest


@pytest.mark.parametrize(
    ("title", "held", "other"),
    [
        (
            "Off-heap memory of no running task",
            [("putBytes", "stage 2", "3"), ("newChunk", "block transfer", "3")],
            "Other sites: 13\u202fB",
        ),
        (
            "Memory of JNI libraries of no running task",
            [("grow", "native thread tokio-runtime-w", "3")],
            "Other sites: 17\u202fB",
        ),
    ],
)
def test_what_no_task_holds(wide, rich, title, held, other):
    wide.open(f"{rich}#/executors/1")
    table = wide.page.get_by_role("table", name=title)
    rows = [row.inner_text().split("\t") for row in table.locator("tbody tr").all()]
    assert [(row[0].split(" ")[0].split("\n")[0].split(".")[-1], row[1], row[3]) for row in rows] == held
    assert other in wide.text()


def test_heap_after_collections(wide, rich):
    wide.open(f"{rich}#/executors/1")
    assert re.search(
        r"In use after a full collection: .* at most, .* after the last one, G1 Young Generation", wide.text()
    )
    wide.open(f"{rich}#/executors")
    assert "Heap after collections, peak" in wide.text()
