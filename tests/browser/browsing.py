"""Debian's Chromium without a window (chromium-headless-shell) by Playwright, and what every page is held to."""

import contextlib
import dataclasses
import json
import os
import pathlib

import pytest
from processes import patient

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs/report.schema.json").read_text())
AXE = ROOT / "report-app/node_modules/axe-core/axe.min.js"
CHROMIUM = pathlib.Path(os.environ.get("MEMPROF_CHROMIUM", "/usr/bin/chromium-headless-shell"))
SCREENSHOTS = ROOT / "build/browser"
WIDTHS = {"wide": 1280, "narrow": 390}
# Without a sandbox of its own, which it can't have as root; without looking for its maker's hosts.
SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def why_not():
    """Why nothing can be shown here; None where it can."""
    if not CHROMIUM.exists():
        return f"no Chromium at {CHROMIUM}: apt-get install chromium-headless-shell"
    if not AXE.exists():
        return f"{AXE} is missing: build the report's app first"
    return None


@contextlib.contextmanager
def chromium():
    """Skips the test where nothing can be shown."""
    reason = why_not()
    if reason:
        pytest.skip(reason)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=patient(5_000))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        yield browser
        browser.close()


@dataclasses.dataclass
class Seen:
    """A page, and what happened on it that nobody asked for."""

    page: object
    complaints: list
    requests: list

    def open(self, address):
        """An address of its own, whatever was shown before; a fragment alone would not load anything."""
        self.page.goto("about:blank")
        self.requests.clear()
        self.page.goto(address)
        self.page.wait_for_selector(".page main h2", state="attached")

    def text(self):
        return self.page.locator(".page").inner_text()

    def demand_quiet(self):
        assert self.complaints == []

    def demand_fit(self):
        over = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, f"the page is {over} px wider than the window"

    def demand_accessible(self):
        """Nothing that axe finds critical or serious in our part of the page."""
        if not self.page.evaluate("typeof axe === 'object'"):
            self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("axe.run('#sparkmemprof', {resultTypes: ['violations']})")
        assert found["passes"], "axe looked at nothing"
        grave = [
            f"{violation['id']}: {violation['help']}: {node['html'][:200]} {node['failureSummary'][:300]}"
            for violation in found["violations"]
            if violation["impact"] in ("critical", "serious")
            for node in violation["nodes"][:5]
        ]
        assert grave == []

    def demand_within_spark(self, scheme, shot):
        """The page that stands here inside Spark's: in these colours, no wider than it may be, and accessible."""
        ours = self.page.locator(".page")
        if ours.get_attribute("data-theme") != scheme:  # Spark 3.5's page is light, and the choice is remembered
            self.page.get_by_role("button", name=f"Change to {scheme} colours").click()
        assert ours.evaluate("element => element.scrollWidth - element.clientWidth") <= 0
        self.demand_accessible()
        self.screenshot(f"{shot}-{scheme}")

    def screenshot(self, name):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True)


@contextlib.contextmanager
def window(browser, width="wide", scheme="light", **options):
    context = browser.new_context(
        viewport={"width": WIDTHS[width], "height": 900}, color_scheme=scheme, reduced_motion="reduce", **options
    )
    context.set_default_timeout(patient(30_000))
    page = context.new_page()
    seen = Seen(page, [], [])
    page.on(
        "console",
        lambda told: seen.complaints.append(told.text) if told.type in ("error", "warning") else None,
    )
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))

    def refuse(dialog):
        seen.complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", refuse)
    page.on("request", lambda request: seen.requests.append(request.url))
    yield seen
    context.close()


def frames(page, name):
    """Frames of the flame graph whose name begins so."""
    return page.locator(f".flame g.frame[name^='{name}']")
