"""The HTML file: every page of it, in every form, and what a reader does there."""

import pathlib
import re

import browsing
import jsonschema
import models
import pytest
from playwright.sync_api import expect

PAGES = ["", "executors", "executors/2", "stages", "stages/2.0", "lines", "flame", "driver", "deaths", "about"]


@pytest.mark.parametrize("width", browsing.WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_page(browser, sample, name, scheme, width):
    with browsing.window(browser, width, scheme) as seen:
        seen.open(f"{sample}#/{name}")
        ground = seen.page.locator(".page").evaluate("element => getComputedStyle(element).backgroundColor")
        brightness = sum(int(part) for part in re.findall(r"\d+", ground)[:3])
        assert (brightness < 200) == (scheme == "dark")
        assert seen.page.locator("nav.pages a[aria-current]").count() == 1
        seen.demand_fit()
        if (scheme == "dark") == (width == "narrow"):  # either way of both is looked at, in half of the time
            seen.demand_accessible()
        seen.screenshot(f"file-{name.replace('/', '-') or 'summary'}-{scheme}-{width}")
        assert seen.requests in ([f"{sample}#/{name}"], [sample]), "the file stands alone"
        seen.demand_quiet()


@pytest.mark.parametrize("width", browsing.WIDTHS)
def test_everything_at_once(browser, rich, width):
    with browsing.window(browser, width) as seen:
        for name in [
            "",
            "executors",
            "executors/3",
            "stages",
            "stages/2.0",
            "stages/3.0",
            "lines",
            "flame",
            "driver",
            "deaths",
            "about",
        ]:
            seen.open(f"{rich}#/{name}")
            seen.demand_fit()
            if width == "wide":
                seen.demand_accessible()
            seen.screenshot(f"everything-{name.replace('/', '-') or 'summary'}-{width}")
        seen.demand_quiet()


@pytest.mark.parametrize(
    "name",
    ["", "executors", "executors/HOSTILE3", "stages", "stages/2.0", "lines", "flame", "driver", "deaths", "about"],
)
def test_hostile_names_are_text(browser, hostile, name):
    with browsing.window(browser) as seen:
        seen.open(f"{hostile}#/{name.replace('HOSTILE', models.HOSTILE.replace('%', '%25'))}")
        details = seen.page.locator("button[aria-expanded]")
        if name in ("stages/2.0", "lines"):
            details.first.wait_for()
        for button in details.all():
            button.click()
        assert models.HOSTILE in seen.text()
        assert seen.page.locator("script").count() == 2, "the model's and the app's, and no other"
        assert seen.page.locator("main script, main img, main iframe").count() == 0
        assert models.HOSTILE in seen.page.title()
        seen.demand_quiet()


def test_no_other_script_may_run(browser, sample):
    with browsing.window(browser) as seen:
        seen.open(sample)
        seen.page.evaluate(
            """() => {
                const script = document.createElement('script');
                script.textContent = 'window.broken = 1';
                document.body.append(script);
                document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="broken = 2">');
            }"""
        )
        assert seen.page.evaluate("window.broken") is None
        assert any("Content Security Policy" in told for told in seen.complaints)


def test_deaths_without_a_post_mortem_have_a_line_each(browser, rich):
    with browsing.window(browser) as seen:
        seen.open(f"{rich}#/deaths")
        others = seen.page.get_by_label("Other deaths", exact=True)
        assert "117 more deaths" in others.inner_text()
        assert "Executor 20 was killed" in others.locator("tbody tr").first.inner_text(), "newest first"
        others.get_by_label("Filter other deaths").fill("executor 136")
        assert others.locator("tbody tr").count() == 1
        assert seen.page.locator("nav.pages .count").inner_text() == "119"


def test_a_full_heap_is_shown_by_class(browser, rich):
    with browsing.window(browser) as seen:
        seen.open(f"{rich}#/deaths")
        table = seen.page.get_by_label("The heap by class")
        assert table.locator("tbody tr").count() == 15
        assert "org.acme.Book0[]" in table.locator("tbody tr").first.inner_text()
        text = seen.page.locator("main").inner_text().replace("\u202f", " ")
        assert "4 other classes: 100.1 MiB" in text
        assert "Spark then: heap.max 1.0 GiB · heap.storage 11.0 MiB" in text


def test_a_death_shows_its_regions_against_what_was_requested(browser, rich):
    nothing = "\u2013"
    with browsing.window(browser) as seen:
        seen.open(f"{rich}#/deaths")
        rows = seen.page.get_by_label("Regions").first.locator("tbody tr")
        told = [" ".join(row.inner_text().replace("\u202f", " ").split()) for row in rows.all()]
        assert told == ["heap 393.2 MiB 1.0 GiB", f"heap.user {nothing} 289.0 MiB", "overhead 1.8 GiB 384.0 MiB"]


def test_a_death_says_when_pages_were_looked_up(browser, rich):
    with browsing.window(browser) as seen:
        seen.open(f"{rich}#/deaths")
        cell = seen.page.locator("article td[data-label='Resident']").first
        assert cell.inner_text().replace("\u202f", " ").split("\n") == ["667.6 MiB", "2.0 MiB later", "2.3 s before"]


def test_the_summary_says_what_to_do(browser, rich):
    with browsing.window(browser) as seen:
        seen.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        seen.open(rich)
        assert (
            seen.page.locator(".verdict.bad .sentence").inner_text()
            == models.everything()["postMortems"][0]["headline"]
        )
        advice = seen.page.locator(".advices li")
        assert advice.count() == 3
        assert "384m → 2300m" in advice.first.inner_text().replace("\n", " ")
        assert "1.8 GiB + JVM native 200 MiB + 10 %" in advice.first.inner_text()
        wanted = "--conf spark.executor.memoryOverhead=2300m"
        assert advice.first.locator("code").last.inner_text() == wanted
        advice.first.get_by_role("button", name=f"Copy {wanted}").click()
        seen.page.get_by_text("Copied").first.wait_for()
        assert seen.page.evaluate("navigator.clipboard.readText()") == wanted
        rows = seen.page.locator(".container-row")
        assert rows.count() == 3
        assert rows.first.inner_text().startswith("Executor 3 96 % 2.4"), "the dead one first"
        assert rows.first.locator("svg line.mark").count() == 2, "its limit, on both bars"
        assert "needed 2.3 GiB" in rows.first.page.locator(".verdict").inner_text()
        seen.demand_quiet()


def test_figures_have_units_bytes_and_errors(wide, sample):
    wide.open(f"{sample}#/lines")
    row = wide.page.locator("tbody tr", has_text="averages.py:27").first
    exact = row.locator("td[data-label='Live at peak'] .figure")
    assert exact.inner_text().replace("\u202f", " ") == "381.5 MiB"
    assert exact.get_attribute("title") == "399,999,971 bytes, exact: every block was counted"
    least = row.locator("td[data-label='Resident'] .figure")
    assert least.inner_text().startswith("≥\u202f")
    assert "bytes, at least: " in least.get_attribute("title")
    sampled = wide.page.locator("tbody tr", has_text="averages.py:19").first.locator(
        "td[data-label='Live at peak'] .figure"
    )
    assert sampled.get_attribute("title") == "5,111,808 bytes, sampled, ± 1.1 MiB"
    for name in PAGES:
        wide.open(f"{sample}#/{name}")
        untitled = wide.page.locator(".figure:not([title*=' bytes'])")
        assert untitled.count() == 0


def test_lines_show_their_native_frames_and_stacks(wide, rich):
    wide.open(f"{rich}#/lines")
    row = wide.page.locator("tbody tr", has_text="job.py:17").first
    assert "default_malloc" in row.locator(".under.native").inner_text()
    assert "_block = allocate(" in row.locator(".source").inner_text()
    assert wide.page.locator("tbody tr", has_text="notebook cell 456").locator(".source").count() == 0
    row.get_by_role("button", name="Show details of job.py:17").click()
    stack = wide.page.locator("tr.detail .frames li")
    expect(stack).to_have_class(["python", "native"])
    for place in ("notebook cell 456, line 3", "helpers.zip/helpers/mod.py:3"):
        assert wide.page.locator(".place.strong", has_text=place).count() == 1
    leak = wide.page.locator(".leaks li").inner_text().replace("\u202f", " ")
    assert "+ 976.6 KiB a task (95 %: 966.8 KiB to 986.3 KiB) over 12 tasks of pid 101 on executor 1" in leak
    wide.page.get_by_label("UDF", exact=True).select_option("lookup (job.py:7)")
    expect(wide.page.locator("tbody tr")).to_have_count(1)
    wide.page.get_by_text("JVM call sites").click()
    expect(wide.page.locator("tbody")).to_contain_text("OddWriter.grow")


def test_other_attempts_stand_apart(wide, rich):
    wide.open(f"{rich}#/stages/2.0")
    apart = wide.page.locator(".card.apart")
    assert "Other attempts, never added in: 1 failed" in apart.inner_text()
    assert "Python worker exited unexpectedly" in apart.inner_text()
    assert "117.7" in apart.inner_text()
    assert "117.7" not in wide.page.locator(".card:not(.apart)").inner_text()
    assert "31 sites of JVM heap, 7.0 MiB allocated" in wide.text()
    pool = wide.page.locator(".totals div", has_text="memory pool").inner_text().replace("\u202f", " ")
    assert re.search(r"51\.0 MiB at a task.s peak, 1\.2 MiB at a task.s end", pool)


def table(page, label):
    """The block of the table with this label."""
    return page.locator(".table", has=page.locator(f"table[aria-label^='{label}']"))


def test_tasks_by_themselves_and_how_they_are_distributed(wide, rich):
    wide.open(f"{rich}#/stages/5.0")
    page = wide.page
    spread = page.locator("table[aria-label$='figures are distributed']")
    live = spread.locator("tr", has_text="Python live at peak").inner_text().replace("\u202f", " ").split("\t")
    assert live[1:] == ["28.6 MiB", "28.6 MiB", "28.6 MiB", "28.6 MiB", "381.5 MiB", "13\u00d7"]
    tasks = table(page, "tasks of Stage 5")
    expect(tasks.locator("tbody tr")).to_have_count(10)
    assert "Off-heap" not in tasks.inner_text(), "a figure that no task has takes no place"
    first = tasks.locator("tbody tr").first
    assert "partition 0, Executor 1" in first.inner_text()
    expect(first.locator("a")).to_have_attribute("href", "#/executors/1")
    tasks.locator("th.column-durationMs button").click()
    expect(tasks.locator("tbody tr").first).to_contain_text("partition 16")
    tasks.get_by_placeholder("Filter by task").fill("partition 7")
    expect(tasks.locator("tbody tr")).to_have_count(1)
    assert "killed" not in tasks.inner_text()
    other = page.locator(".card.apart .table", has=page.locator("table[aria-label^='tasks of']"))
    expect(other.locator("tbody tr")).to_have_count(1)
    assert "killed" in other.inner_text()
    assert "52.5" in other.inner_text()
    shares = table(page, "UDFs of Stage 5").inner_text()
    assert "clean (job.py:7)" in shares
    assert "31.5" in shares
    wide.screenshot("tasks")


def test_the_driver_shows_results_by_action_and_where_memory_was_spent(wide, rich):
    wide.open(f"{rich}#/driver")
    row = wide.page.locator("tbody tr", has_text="failed").first
    told = row.inner_text().replace("\u202f", " ")
    assert "collect at job.py:50 job 0" in told
    assert "Stage 2: 1.5 MiB from 2 of 5 tasks, largest 759.6 KiB, 74 % of spark.driver.maxResultSize" in told
    sent = row.locator("td[data-label='Results'] .figure")
    assert sent.get_attribute("title") == "1,555,567 bytes, serialised, as Spark counts it"
    assert row.locator("td[data-label='Rows']").inner_text() == "2,018"
    unknown = wide.page.locator("tbody tr", has_text="query 1")
    assert unknown.locator("td[data-label='Rows']").inner_text() == "\u2013"
    assert re.search("^count query 1 running.*which line", unknown.inner_text().replace("\n", " "))
    assert re.search("plan was built at orders.py:3; job.py:41(.|\n)*Lighter actions without a row: 11", wide.text())
    assert column(wide.page, "The driver\u2019s copy") == ["2.9 MiB"], "of what the driver made itself"
    row.get_by_role("link", name="Stage 2").click()
    expect(wide.page.locator("main")).to_contain_text("run by")  # the page follows the link a moment later
    assert "run by collect at job.py:50 job 0" in wide.text()
    wide.open(f"{rich}#/lines")
    line = wide.page.locator("tbody tr", has_text="job.py:17").first
    line.get_by_role("link", name="collect at job.py:50").click()
    expect(wide.page.locator("main h2").first).to_have_text("Driver")
    wide.open(f"{rich}#/deaths")
    refused = wide.page.locator(".death", has_text="refused the results")
    assert refused.locator("table").count() == 0
    refused.get_by_role("link", name="The driver").click()
    expect(wide.page.locator("main h2").first).to_have_text("Driver")


def test_a_process_tells_what_it_imported(wide, rich):
    wide.open(f"{rich}#/executors/3")
    process = wide.page.locator(".process", has_text="python-worker 101")
    process.locator("summary").click()
    told = process.inner_text().replace("\u202f", " ")
    for text in (
        "20.0 MiB at its start",
        "48.6 MiB when its first task began",
        "import oddlib",
        "8.6 MiB (11.4 MiB with its imports)",
    ):
        assert text in told


def moment(page):
    return page.get_by_role("slider").get_attribute("aria-valuetext")


def kib(held):
    """Time lines are in whole KiB."""
    return round(held / 1024) * 1024


def test_a_life_shows_who_held_what_at_its_peak_and_at_any_moment(wide, rich):
    wide.open(f"{rich}#/executors/3")
    page = wide.page
    slider = page.get_by_role("slider")
    held = page.get_by_role("table", name="Who held what then")
    # The peak is chosen before anything is clicked.
    assert moment(page).startswith("22:14:03 UTC: 2.4 GiB of 2.5 GiB")
    worker = held.get_by_role("row").filter(has_text="pid 103").locator(".figure")
    assert worker.get_attribute("title") == f"{kib(1_999_999_991):,} bytes"
    others = held.get_by_role("row").filter(has_text="smaller workers").locator(".figure")
    assert others.get_attribute("title") == f"{7 << 20:,} bytes, resident, together"
    for title, size in (
        ("blocks of JNI libraries", 3 << 20),
        ("of native libraries", -(-(1_999_999_991 // 2) // 1024) * 1024),
    ):
        native = held.get_by_role("row").filter(has_text=title).locator(".figure")
        assert native.get_attribute("title").startswith(f"{size:,} bytes")
    assert "2 tasks running: 2 of stage 2" in page.locator(".moment").inner_text()
    assert "Threads waited for memory 12.07 %" in page.locator(".moment").inner_text()
    assert "The JVM stood still 417 ms in 3 pauses before." in page.locator(".moment").inner_text()
    # A click chooses the moment there: a third from the left of 50 seconds.
    over = page.locator(".life-plot .u-over")
    box = over.bounding_box()
    over.click(position={"x": box["width"] / 3, "y": 40})
    expect(slider).to_have_attribute("aria-valuenow", re.compile("^1[567]$"))
    chosen = int(slider.get_attribute("aria-valuenow"))
    expect(worker).to_have_attribute("title", f"{kib(1_999_999_991 * chosen // 43):,} bytes")
    page.get_by_role("button", name="Last").click()
    expect(slider).to_have_attribute("aria-valuenow", "49")
    assert "0 tasks running" in page.locator(".moment").inner_text()
    assert "removed after it" in page.locator(".moment").inner_text()
    assert page.get_by_role("button", name="Later").is_disabled()
    page.get_by_role("button", name="Largest use").click()
    expect(slider).to_have_attribute("aria-valuenow", "43")
    # Something of each colour is drawn.
    painted = page.evaluate(
        """() => {
          const canvas = document.querySelector('.life canvas');
          const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          const colours = new Map();
          for (let at = 0; at < data.length; at += 4) {
            const key = `${data[at]},${data[at + 1]},${data[at + 2]},${data[at + 3]}`;
            colours.set(key, (colours.get(key) ?? 0) + 1);
          }
          return Object.fromEntries(colours);
        }"""
    )
    for colour in ("208,138,46", "232,189,127", "53,116,181", "107,157,205"):  # JVM, its heap, Python, other Python
        assert painted.get(f"{colour},255", 0) > 300, colour
    wide.demand_accessible()


def test_a_life_by_keyboard(wide, rich):
    wide.open(f"{rich}#/executors/3")
    slider = wide.page.get_by_role("slider")
    slider.focus()
    for key, place in (
        ("ArrowLeft", 42),
        ("PageDown", 37),
        ("ArrowRight", 38),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("End", 49),
    ):
        wide.page.keyboard.press(key)
        expect(slider).to_have_attribute("aria-valuenow", str(place))
    assert moment(wide.page).startswith("22:14:09 UTC")


def test_an_executor_without_samples_says_so(wide, rich):
    wide.open(f"{rich}#/executors/1")
    assert "too short for samples" in wide.text()
    assert wide.page.get_by_role("slider").count() == 0


def test_what_has_no_row_is_told(wide, rich):
    wide.open(f"{rich}#/stages")
    assert "Lighter stages without a row: 7, with 70 tasks" in wide.text()
    wide.open(f"{rich}#/executors")
    assert "Executors without a row: 4, which used 117.7 MiB at most" in wide.text()
    wide.open(f"{rich}#/about")
    for text in (
        "droppedSites",
        "odd-thread",
        "even-thread",
        "deep-thread",
        "lingers",
        "executors.atPeak.sites",
        "64.0 KiB",
        "512.0 KiB",
    ):
        assert text in wide.text()


def column(page, name):
    return [cell.inner_text().replace("\u202f", " ") for cell in page.locator(f"tbody td[data-label='{name}']").all()]


def test_tables_sort_filter_and_page_by_keyboard(wide, large):
    wide.open(f"{large}#/stages")
    page = wide.page
    assert page.locator("tbody tr").count() == 25
    assert "2,000 rows" in wide.text()
    page.get_by_role("button", name="Next").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".pager")).to_contain_text("Page 2 of 80")
    page.get_by_role("columnheader", name="Stage").get_by_role("button").focus()
    page.keyboard.press("Enter")
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("Stage")
    page.get_by_placeholder("Filter by stage").fill("Stage 1777")
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.locator(".tools [role=status]")).to_have_text("1 of 2,000 rows")
    page.get_by_placeholder("Filter by stage").fill("no such thing")
    page.get_by_role("button", name="Clear the filter").click()
    expect(page.locator("tbody tr")).to_have_count(25)
    wide.open(f"{large}#/executors")
    first = column(page, "Peak")[0]
    assert first == "2.3 GiB"
    for order in ("descending", "ascending"):
        page.locator("th.column-peak button").click()
        expect(page.locator("th.column-peak")).to_have_attribute("aria-sort", order)
    assert column(page, "Peak")[0] == "953.7 MiB"


def test_keyboard_reaches_every_page(wide, sample):
    wide.open(sample)
    names = []
    for _ in range(13):
        wide.page.keyboard.press("Tab")
        names.append(wide.page.evaluate("document.activeElement.textContent"))
    assert [name.rstrip("1") for name in names[:9]] == [
        "☾ Dark",
        "Summary",
        "Executors",
        "Stages",
        "UDFs and lines",
        "Flame graph",
        "Driver",
        "Post-mortems",
        "About the numbers",
    ]
    wide.page.locator("nav.pages a", has_text="Stages").focus()
    wide.page.keyboard.press("Enter")
    heading = wide.page.locator("main h2").first
    expect(heading).to_be_focused()  # who reads by ear hears where they are
    expect(heading).to_have_text("Stages")
    assert wide.page.title() == "weighted average: Stages"


def test_theme_is_remembered(wide, sample):
    wide.open(sample)
    other = wide.page.context.new_page()
    other.goto(sample)
    other.evaluate("() => addEventListener('storage', () => { window.stored = true; })")
    wide.page.get_by_role("button", name="Change to dark colours").click()
    expect(wide.page.locator(".page")).to_have_attribute("data-theme", "dark")
    # Chromium keeps it in another process, and a page that is loaded before that has it is as it was.
    other.wait_for_function("() => window.stored")
    other.close()
    wide.page.reload()
    expect(wide.page.locator(".page")).to_have_attribute("data-theme", "dark")
    wide.page.emulate_media(color_scheme="light")
    expect(wide.page.locator(".page")).to_have_attribute("data-theme", "dark")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda model: model[: len(model) // 2], "cut off or damaged"),
        (lambda _: "[]", "not a report"),
        (lambda model: model.replace('"schemaVersion":1', '"schemaVersion":2'), "another version"),
        (lambda model: model.replace('"stages"', '"plays"'), "lacks its"),
    ],
)
def test_a_damaged_file_says_so(wide, html_file, tmp_path, spoil, told):
    page = pathlib.Path(html_file(models.report()).removeprefix("file://")).read_text()
    model = re.search(r'id="sparkmemprof-model">(.*?)</script>', page, re.DOTALL)[1]
    spoiled = tmp_path / "spoiled.html"
    spoiled.write_text(page.replace(model, spoil(model)))
    wide.open(spoiled.as_uri())
    banner = wide.page.get_by_role("alert").inner_text()
    assert told in banner
    assert "sparkmemprof report DIR -o report.html" in banner


@pytest.mark.parametrize(
    "name", ["", "executors", "executors/9", "stages", "stages/9.0", "lines", "flame", "driver", "deaths", "nowhere"]
)
@pytest.mark.parametrize("unfinished", [True, False])
def test_empty_pages_say_so(wide, html_file, name, unfinished):
    wide.open(f"{html_file(models.nothing(unfinished))}#/{name}")
    assert wide.page.locator("main .empty").count() >= 1
    assert wide.page.locator("main .empty").first.inner_text().endswith((".", "Summary", "stages", "executors"))
    assert ("Unfinished" in wide.text()) == unfinished


def test_where_nobody_died_the_verdict_stands(wide, html_file):
    failed = models.stage(0, [], status="failed", failureReason="killed by SIGKILL", name="job.py")
    model = models.report(executors=[models.executor("driver", 7_000_003, 70_000_001)], stages=[failed])
    model["application"] |= {"master": "program", "sparkVersion": None}
    wide.open(f"{html_file(model)}#/deaths")
    assert wide.page.locator("main .empty").inner_text() == "The program did not end well: killed by SIGKILL."
    assert "Whether that was for want of memory is not known" in wide.text()


def test_what_is_worth_changing_is_in_the_banner_though_nobody_died(wide, html_file):
    advice = {"conf": "spark.executor.memory", "from": "1g", "to": "1500m", "because": "it was nearly full"}
    finding = {
        "headline": "Executor 1 used 94 % of its limit",
        "stageId": None,
        "attempt": None,
        "executorId": "1",
        "advice": [advice],
    }
    model = models.report(executors=[models.executor("1", 66_000_003, 70_000_001)]) | {"findings": [finding]}
    jsonschema.validate(model, browsing.SCHEMA)
    wide.open(html_file(model))
    banner = wide.page.locator(".verdict").inner_text()
    assert finding["headline"] in banner
    assert "it was nearly full" in banner


def test_a_driver_that_is_not_measured_is_said_not_to_be(wide, html_file):
    words = "The driver is not measured, so its own death would not show here"
    for executors in (["1"], ["1", "driver"]):
        address = html_file(
            models.report(executors=[models.executor(each, 7_000_003, 70_000_001) for each in executors])
        )
        for page in ("", "deaths"):
            wide.open(f"{address}#/{page}")
            assert (words in wide.text()) == ("driver" not in executors), (page, executors)


def test_without_script_the_headline_is_there(browser, rich):
    with browsing.window(browser, java_script_enabled=False) as seen:
        seen.page.goto(rich)
        text = seen.page.locator("body").inner_text()
        assert "Executor 3 died: Python workers needed 2.3 GiB" in text
        assert "sparkmemprof report DIR" in text


def test_columns_are_shared_where_stages_are_many(wide, large):
    """Nine to a column; what a stage of this model holds grows with its number."""
    wide.open(f"{large}#/stages")
    chart = wide.page.locator("figure.chart")
    expect(chart.locator("[role=img]")).to_have_attribute("aria-label", re.compile(r", 223 columns;"))
    expect(chart.locator("figcaption")).to_contain_text("Each column is the largest of 9 that ran one after the other.")
    chart.locator(".u-over").hover(position={"x": 1, "y": 60})
    expect(chart.locator("figcaption")).to_contain_text("Stage 8: ")


def test_a_large_report_is_a_small_file(wide, large):
    path = pathlib.Path(large.removeprefix("file://"))
    assert path.stat().st_size <= 5_000_000
    wide.open(large)
    expect(wide.page.locator("h1")).to_have_text("odd job")
    cut = path.with_name("cut.html")
    text = path.read_text()
    begin = text.index('id="sparkmemprof-model">') + 100_000
    cut.write_text(text[:begin] + text[text.index("</script>", begin) :])
    wide.open(f"file://{cut}")
    assert "cannot be unpacked" in wide.page.get_by_role("alert").inner_text()


def test_a_large_report_stays_small_on_the_page(wide, large):
    for name in ["", "executors", "stages", "stages/1999.0", "stages/1234.0", "lines", "flame"]:
        wide.open(f"{large}#/{name}")
        assert wide.page.evaluate("document.querySelectorAll('*').length") < 12_000, name
    wide.open(f"{large}#/lines")
    wide.page.get_by_placeholder("Filter by line").fill("work_1234_6")
    expect(wide.page.locator("tbody tr")).to_have_count(1)
    wide.screenshot("large-lines")
    wide.open(f"{large}#/stages/1234.0")
    assert "The heaviest 20,000 of 88,000 attempts have a row here" in wide.text()
    tasks = table(wide.page, "tasks of Stage 1234")
    expect(tasks.locator("[role=status]")).to_have_text("20,000 rows")
    tasks.get_by_placeholder("Filter by task").fill("partition 19876")
    expect(tasks.locator("tbody tr")).to_have_count(1)
    wide.open(f"{large}#/flame")
    assert browsing.frames(wide.page, "work_1234_6").count() == 0, "too narrow"
    wide.page.get_by_label("Stage", exact=True).select_option("1234.0")
    expect(browsing.frames(wide.page, "work_1234_6")).to_have_count(1)


def test_the_drivers_own_python_is_no_stage(wide, html_file):
    own = models.stage(-1, [models.python_site("frames", 28, 61_000_013)], name="driver: job.py", tasks=1)
    driver = models.executor("driver", 900_000_007, 2_684_354_560)
    driver["processes"][1]["kind"] = "python-driver"
    model = models.report(
        executors=[driver], stages=[own, models.stage(2, [models.python_site("features", 17, 7_000_003)])]
    )
    jsonschema.validate(model, browsing.SCHEMA)
    address = html_file(model)
    wide.open(address)
    assert "Line that held most, in one process" in wide.text()
    wide.open(f"{address}#/driver")
    told = wide.text().replace("\u202f", " ")
    assert "Its heap and its Python" in told
    assert "Python process 101, resident at most 429.2 MiB" in told
    row = wide.page.locator("tbody tr", has_text="job.py:28")
    assert row.locator("td[data-label='Live at peak'] .figure").get_attribute("title").startswith("61,000,013 bytes")
    assert wide.page.locator("tbody tr", has_text="job.py:17").count() == 0
    wide.open(f"{address}#/stages")
    assert [row.inner_text() for row in wide.page.locator("tbody td a.strong").all()] == ["Stage 2"]
    wide.open(f"{address}#/lines")
    wide.page.locator("tbody tr", has_text="job.py:28").get_by_role("link", name="driver").click()
    expect(wide.page.locator("h1, h2").filter(has_text="All its processes")).to_be_visible()
    expect(wide.page.locator("main h2").first).to_have_text("The driver\u2019s Python")
    assert "1 process" in wide.text()
    wide.demand_quiet()
