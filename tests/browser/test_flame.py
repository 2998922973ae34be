"""The flame graph of the HTML file."""

import json
import re

import browsing
import models
import pytest
from playwright.sync_api import expect
from processes import until


def fill(frame):
    return frame.locator("rect").evaluate("element => getComputedStyle(element).fill")


def test_flame_graph(wide, rich):
    wide.open(f"{rich}#/flame?stage=2.0")
    page = wide.page
    assert browsing.frames(page, "features").count() == 1
    colours = {fill(browsing.frames(page, name).first) for name in ("features", "default_malloc", "Stage 2")}
    page.get_by_text("Allocated", exact=True).click()
    expect(browsing.frames(page, "OddWriter.grow")).to_have_count(1)
    colours.add(fill(browsing.frames(page, "OddWriter.grow")))
    assert len(colours) == 4, "Python, native, Java and what is no frame"
    total = sum(row["allocatedBytes"] for row in models.everything()["stages"][0]["totals"]) + 7_340_033
    root = browsing.frames(page, "Allocated")
    assert f"{total / (1 << 30):.1f} GiB allocated, 100 % of all" in root.locator("title").text_content()
    before, place = root.bounding_box()["y"], root.get_attribute("transform")
    page.get_by_label("Invert").check()
    expect(root).not_to_have_attribute("transform", place)
    until(lambda: root.bounding_box()["y"] > before + 50, 10, "the root is below its frames")

    told = page.locator(".flame-told")
    page.get_by_placeholder("Search frames").fill("OddWriter.(")
    expect(told).to_contain_text("0 frames")  # a text, no pattern
    page.get_by_placeholder("Search frames").fill("oddwriter.scala")
    expect(told).to_contain_text("Found: 1 frame, 256.0 MiB")
    assert fill(browsing.frames(page, "OddWriter.grow")) not in colours
    page.get_by_placeholder("Search frames").fill("")
    expect(told).to_contain_text("Hover or tap")
    assert fill(browsing.frames(page, "OddWriter.grow")) in colours

    def width():
        return browsing.frames(page, "OddWriter.grow").bounding_box()["width"]

    narrow = width()
    browsing.frames(page, "OddWriter.grow").click()
    until(lambda: width() > 2 * narrow, 10, "the frame is zoomed into")
    page.get_by_role("button", name="Show all").click()
    until(lambda: width() == pytest.approx(narrow, abs=1), 10, "all frames are shown again")
    page.get_by_label("Stage", exact=True).select_option("5.0")
    expect(browsing.frames(page, "clean")).to_have_count(1)
    assert browsing.frames(page, "features").count() == 0
    assert page.url.endswith("#/flame?stage=5.0")


def test_flame_graph_of_two_runs(wide, store, tmp_path):
    def run(number, sites):
        application = {"id": "app", "name": "odd job", "startedMs": 1_700_000_000_000 + number}
        return json.dumps(models.report(stages=[models.stage(number, sites)], application=application)).encode()

    grown, gone, same = (models.python_site(name, 7, 100_000_007) for name in ("grown", "gone", "same"))
    moved = models.python_site("grown", 9, 130_000_009)  # an edit above it
    before, after = run(2, [grown, gone, same]), run(5, [moved, same])
    path = tmp_path / "change.html"
    path.write_text(store.render_comparison_html(before, after))
    wide.open(f"{path.as_uri()}#/flame")
    page = wide.page
    assert "Compare with odd job of 2023-11-14 22:13:20 UTC" in wide.text()
    browsing.frames(page, "grown").first.hover()
    expect(page.locator(".flame-told")).to_contain_text("grown (job.py): + 28.6 MiB: 124.0 MiB, before 95.4 MiB")
    browsing.frames(page, "same").first.hover()
    expect(page.locator(".flame-told")).to_contain_text("as much as before: 95.4 MiB")
    assert fill(browsing.frames(page, "grown").first) != fill(browsing.frames(page, "same").first)
    assert browsing.frames(page, "gone").count() == 0
    page.get_by_label("Compare").select_option("before")
    browsing.frames(page, "gone").first.hover()
    expect(page.locator(".flame-told")).to_contain_text("gone (job.py): \u2212 95.4 MiB: 0 B, before 95.4 MiB")
    wide.screenshot("flame-two-runs")
    page.get_by_label("Compare").select_option("no")
    expect(browsing.frames(page, "grown").first).to_have_attribute("name", re.compile("job.py:9"))


def test_files_of_one_name_are_told_apart(wide, store, html_file, tmp_path):
    def run(folder, sizes):
        sites = [models.python_site("load", 7, size, file=f"/{folder}/{package}/utils.py") for package, size in sizes]
        return json.dumps(models.report(stages=[models.stage(2, sites)])).encode()

    def told(address):
        wide.open(f"{address}#/flame")
        frames = browsing.frames(wide.page, "load")
        expect(frames).to_have_count(2)
        return " ".join(sorted(frames.locator("title").all_text_contents()))

    before, after = (
        run("jobs", [("etl", 100_000_007), ("web", 200_000_009)]),
        run("jobs", [("etl", 130_000_009), ("web", 200_000_009)]),
    )
    alone = told(html_file(before))
    assert "load (etl/utils.py:7): 95.4 MiB" in alone
    assert "load (web/utils.py:7): 190.7 MiB" in alone
    path = tmp_path / "change.html"
    path.write_text(store.render_comparison_html(before, after))
    both = told(path.as_uri())
    assert "load (etl/utils.py): + 28.6 MiB" in both
    assert "load (web/utils.py): as much as before" in both

    path.write_text(
        store.render_comparison_html(
            run("container_1", [("etl", 100_000_007)]), run("container_2", [("etl", 130_000_009)])
        )
    )
    wide.open(f"{path.as_uri()}#/flame")
    expect(browsing.frames(wide.page, "load").locator("title")).to_contain_text("load (utils.py): + 28.6 MiB")


def test_stages_without_a_row_are_in_the_whole(wide, html_file):
    """As in the exports: allocated bytes add up to the report's totals. So does a stage whose stacks were all cut."""
    sites = [models.python_site("features", 17, 100_000_007)]
    cut = models.stage(3, [])
    cut["remainders"] = cut["totals"] = models.sums([models.python_site("gone", 1, 200_000_009)])
    rest = {
        "stages": 7,
        "tasks": 70,
        "otherAttempts": 0,
        "totals": models.sums([models.python_site("light", 1, 300_000_011)]),
    }
    model = models.report([], [models.stage(2, sites), cut], otherStages=rest)
    address = html_file(model)
    total = sum(2 * live + 1 for live in (100_000_007, 200_000_009, 300_000_011))
    wide.open(f"{address}#/flame")
    page = wide.page
    page.get_by_text("Allocated", exact=True).click()
    root = browsing.frames(page, "Allocated").locator("title")
    expect(root).to_contain_text(f"{total / (1 << 30):.1f} GiB allocated, 100 % of all")
    expect(browsing.frames(page, "Other stages").locator("title")).to_contain_text("572.2 MiB allocated, 50 % of all")
    expect(browsing.frames(page, "Stage 3").locator("title")).to_contain_text("381.5 MiB allocated, 33 % of all")
    page.get_by_label("Stage", exact=True).select_option("3.0")
    expect(root).to_contain_text("381.5 MiB allocated, 100 % of all")
    expect(browsing.frames(page, "Other stages")).to_have_count(0)


def test_flame_graph_by_keyboard(wide, rich):
    wide.open(f"{rich}#/flame")
    told = wide.page.locator(".flame-told")
    wide.page.locator(".flame").focus()
    for key, text in [
        ("ArrowDown", "Live at peak"),
        ("ArrowDown", "Stage 2"),
        ("ArrowRight", "Stage 6"),
        ("ArrowLeft", "Stage 2"),
    ]:
        wide.page.keyboard.press(key)
        expect(told).to_have_text(re.compile(f"^{text}"))
    wide.page.keyboard.press("Enter")
    expect(browsing.frames(wide.page, "Stage 6")).to_have_count(0)
    wide.page.keyboard.press("Escape")
    expect(browsing.frames(wide.page, "Stage 6")).to_have_count(1)
