"""The Memory tab of real Spark in a real browser: inside Spark's page and policy, live, light and dark."""

import re

import browsing
import pytest
from conftest import BESIDE_BYTES, line_of
from live_application import BLOCK, running, settled
from processes import patient

HOSTILE = "<script>alert(1)</script>\"'&"
PAGES = ["", "executors", "executors/driver", "stages", "stages/0.0", "lines", "flame", "driver", "deaths", "about"]


@pytest.fixture(scope="module")
def browser():
    with browsing.chromium() as browser:
        yield browser


@pytest.mark.one_line("4")
@pytest.mark.parametrize(
    ("width", "scheme"), [("wide", "light"), pytest.param("narrow", "dark", marks=pytest.mark.full)]
)
def test_every_page(browser, live, line, width, scheme):
    with browsing.window(browser, width, scheme) as seen:
        for name in PAGES:
            seen.open(f"{live.address}/memory/#/{name}")
            seen.page.wait_for_selector(".page .banner.calm")
            seen.demand_within_spark(scheme, f"tab-{line}-{name.replace('/', '-') or 'summary'}-{width}")
        seen.demand_quiet()


def test_it_shows_the_line_and_hostile_names_as_text(browser, live):
    with browsing.window(browser) as seen:
        seen.open(f"{live.address}/memory/#/lines")
        row = seen.page.locator("tbody tr", has_text=f"tab.py:{line_of('tab.py', 'block')}").first
        row.wait_for()
        title = row.locator("td[data-label='Live at peak'] .figure").get_attribute("title")
        bytes_, how = re.match(r"([\d,]+) bytes, (exact|sampled)", title).groups()
        beside = BESIDE_BYTES if how == "sampled" else 0
        assert BLOCK + 1 <= int(bytes_.replace(",", "")) <= BLOCK + 1 + beside, title
        assert HOSTILE in seen.text()
        assert seen.page.locator("#sparkmemprof script").count() == 0
        assert seen.page.locator("a", has_text="Stages").count() >= 2, "Spark's own navigation is around it"
        seen.demand_quiet()


def test_sparks_styles_and_ours_do_not_meet(browser, live):
    with browsing.window(browser) as seen:
        look = "element => ['fontSize', 'color', 'margin'].map(name => getComputedStyle(element)[name])"
        bar = "nav.navbar a[href$='/stages/'], .navbar a[href$='/stages/']"
        seen.page.goto(f"{live.address}/jobs/")
        before = seen.page.locator(bar).first.evaluate(look)
        seen.open(f"{live.address}/memory/")
        assert seen.page.locator(bar).first.evaluate(look) == before
        assert seen.page.evaluate("document.getElementById('sparkmemprof').shadowRoot.styleSheets.length") == 1


def test_sparks_own_choice_of_colours_holds(browser, live, line):
    with browsing.window(browser) as seen:
        seen.open(f"{live.address}/memory/")
        own, sparks = seen.page.locator(".page .theme"), seen.page.locator("#theme-toggle")
        assert (own.count(), sparks.count()) == ((0, 1) if line == "4" else (1, 0))
        (sparks if line == "4" else own).click()
        seen.page.locator(".page[data-theme=dark]").wait_for()


@pytest.mark.one_line("4")
def test_it_asks_again_and_can_be_paused(browser, live):
    with browsing.window(browser) as seen:
        seen.open(f"{live.address}/memory/")
        seen.page.wait_for_selector(".page .banner.calm")
        with seen.page.expect_response("**/memory/api/v1/report", timeout=patient(30_000)) as again:
            pass
        assert again.value.status == 200
        seen.page.get_by_role("button", name="Pause").click()
        seen.page.get_by_text("Paused:").wait_for()
        seen.requests.clear()
        seen.page.wait_for_timeout(7000)
        assert seen.requests == []
        seen.demand_quiet()


@pytest.mark.full
@pytest.mark.one_line("4")
def test_without_the_application_it_says_where_the_report_is(browser, spark_run, tmp_path):
    with running(spark_run, tmp_path / "job") as application:
        settled(application)
        with browsing.window(browser) as seen:
            seen.open(f"{application.address}/memory/")
            seen.page.wait_for_selector(".page .banner.calm")
            application.finish().demand_success()
            banner = seen.page.get_by_role("alert")
            banner.wait_for(timeout=patient(60_000))
            assert "spark.memprof.report.dir" in banner.inner_text()
            assert seen.page.locator(".verdict .sentence").count() == 1, "the last figures stay"
