"""The page of an executor: its heap after collections, and what no running task holds beside the heap."""

import re

import lives
import models
import pytest
from playwright.sync_api import expect


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


def test_all_that_a_heap_retains_is_told(wide, html_file):
    """Of 27 sites with a row the table shows 20: what is below it adds up to the total."""
    sites = [
        {
            "origin": "jvm-heap",
            "retainedBytes": 9_000_001 - number,
            "objects": 3,
            "errorBytes": 0,
            "stageId": 2,
            "stageAttempt": 0,
            "thread": None,
            "frames": [models.frame(f"org.acme.Book{number}.read", "Book.java", 7, "java")],
        }
        for number in range(27)
    ]
    other = 1_000_003
    retained = {
        "timeMs": 1_700_000_000_900,
        "collection": "G1 Old Generation",
        "heapUsedAfterBytes": 300_000_007,
        "heapMaxBytes": None,
        "totalBytes": sum(site["retainedBytes"] for site in sites) + other,
        "errorBytes": 0,
        "sites": sites,
        "otherSites": 4,
        "otherBytes": other,
    }
    model = models.report([models.executor(1, 900_000_001, 2_684_354_560) | {"retained": retained}])
    wide.open(f"{html_file(model)}#/executors/1")
    assert wide.page.get_by_role("table", name="Retained by the heap").locator("tbody tr").count() == 20
    rest = wide.page.locator(".note", has_text="11 smaller sites")
    told = sum(site["retainedBytes"] for site in sites[20:]) + other
    assert rest.locator(".figure").get_attribute("title") == f"{told:,} bytes"


def test_page_cache_is_in_no_figure_of_use(wide, rich):
    wide.open(f"{rich}#/executors/3")
    row = wide.page.get_by_role("table", name="Who held what then").locator("tr", has_text="In no process")
    assert (
        row.locator(".figure")
        .get_attribute("title")
        .split(" bytes, ")[1]
        .startswith("pages of the kernel and of tmpfs;")
    )


def test_a_life_of_days_says_the_day(wide, html_file):
    """Of two samples a day apart the hours are the same."""
    life = lives.life(2_684_354_560, 50, 43, 1_999_999_991)
    life["timesMs"] = [lives.LIFE_BEGIN + 3_600_000 * number for number in range(50)]
    model = models.report([models.executor(1, 900_000_001, 2_684_354_560) | {"timeline": life}])
    wide.open(f"{html_file(model)}#/executors/1")
    slider = wide.page.get_by_role("slider")
    slider.focus()
    for key, told in (("Home", "11-14 22:13:20 UTC: "), ("End", "11-16 23:13:20 UTC: ")):
        wide.page.keyboard.press(key)
        expect(slider).to_have_attribute("aria-valuetext", re.compile(f"^{told}"))
    assert "11-16 23:13:20 UTC" in wide.page.locator(".moment").inner_text()


def test_what_is_unrolled_is_a_row_below_storage(wide, rich):
    wide.open(f"{rich}#/executors/1")
    rows = wide.page.get_by_role("table", name="Regions").first.locator("tbody tr").all_inner_texts()
    names = [row.replace("\n", "\t").split("\t")[0].strip() for row in rows]
    assert names[names.index("heap.storage") + 1] == "of storage, unrolling"
    assert "5.0\u202fMiB" in rows[names.index("heap.storage") + 1]


def test_in_what_form_data_is_cached(wide, rich):
    wide.open(f"{rich}#/executors")
    rows = wide.page.get_by_role("table", name="cached data").locator("tbody td.column-name").all_inner_texts()
    assert [row.split("\n")[0] for row in rows] == [
        "orders MEMORY_ONLY_SER, serialized by KryoSerializer",
        "clicks MEMORY_ONLY, deserialized",
    ]


def test_time_in_collections(wide, rich):
    wide.open(f"{rich}#/executors")
    assert "13 % in collections" in wide.page.locator("tbody td.column-heap").first.inner_text()
    wide.open(f"{rich}#/executors/1")
    assert "The JVM stood still for 4.2 s in all, 13 % of its time." in wide.text()
    collectors = wide.page.get_by_role("table", name="Garbage collection").locator("tbody tr").first
    assert "10 % of its time" in collectors.inner_text()
    wide.open(f"{rich}#/stages")
    assert "7 % in collections" in wide.page.locator("tbody td.column-duration").first.inner_text()
    wide.open(f"{rich}#/stages/5.0")
    assert "7 % of its tasks\u2019 time in collections" in wide.text()
    # Of the second of its tasks, by what they held: 1 ms of 5,007.
    assert "<1 % of its time" in wide.page.locator("td.column-gcMs").nth(1).inner_text()


@pytest.mark.parametrize("thinned", [311, 0])
def test_of_a_thinned_life_only_the_use_has_its_peaks(wide, html_file, thinned):
    life = lives.life(2 << 30, 48, 40, 900_000_007) | {"thinnedSamples": thinned}
    executor = models.executor(1, 1_200_000_011, 2 << 30) | {"timeline": life}
    wide.open(f"{html_file(models.report([executor]))}#/executors/1")
    told = "Every peak of what is in use is kept, with all else as it was then; anything else may have been larger"
    assert (told in wide.text()) == (thinned > 0)
