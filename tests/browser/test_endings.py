"""What a page without rows says: they may still come, or this was written before they could, or there were none."""

import json

import browsing
import models
import pytest

PAGES = {
    "": "No stage",
    "executors": "No executor",
    "stages": "No stage",
    "lines": "No task",
    "flame": "No task",
    "driver": "No job",
}
CUT = "when this was written"
# The store says it.
VERDICT = {"tone": "plain", "sentence": "Nothing was measured so far.", "because": ""}
ADDRESS = "http://served.test/"


@pytest.fixture
def serve(browser, app):
    """Opens a page of the tab, as the driver or a History Server (`past`) serves it; its first empty place's words."""

    def words_of(name, past):
        marks = " data-past" if past else ""
        shell = (
            f"<div id=sparkmemprof data-model=model.json data-style=app.css{marks}></div><script src=app.js></script>"
        )
        answers = {
            "": ("text/html", f"<!doctype html><meta charset=utf-8><title>Memory</title><body>{shell}"),
            "app.js": ("text/javascript", (app / "app.js").read_text()),
            "app.css": ("text/css", (app / "app.css").read_text()),
            "model.json": ("application/json", json.dumps(models.nothing(unfinished=True) | {"verdict": VERDICT})),
        }

        def answer(route):
            content_type, body = answers.get(route.request.url.removeprefix(ADDRESS).split("#")[0], ("text/plain", ""))
            route.fulfill(content_type=f"{content_type}; charset=utf-8", body=body)

        with browsing.window(browser) as seen:
            seen.page.route("**/*", answer)
            seen.open(f"{ADDRESS}#/{name}")
            words = seen.page.locator("main .empty:not([role=status])").first.inner_text()
            seen.demand_quiet()
            return words

    return words_of


@pytest.mark.parametrize("name", PAGES)
def test_of_a_running_application_they_may_come(serve, name):
    words = serve(name, past=False)
    assert words.startswith(PAGES[name])
    assert CUT not in words
    assert "yet" in words or "so far" in words


@pytest.mark.parametrize("name", PAGES)
def test_of_a_killed_driver_nothing_is_awaited(serve, wide, html_file, name):
    wide.open(f"{html_file(models.nothing(unfinished=True))}#/{name}")
    for words in (wide.page.locator("main .empty").first.inner_text(), serve(name, past=True)):
        assert words.startswith(PAGES[name])
        assert CUT in words
        assert "yet" not in words


@pytest.mark.parametrize("name", ["", "executors", "stages"])
def test_of_one_that_ended_there_were_none(wide, html_file, name):
    wide.open(f"{html_file(models.nothing(unfinished=False))}#/{name}")
    words = wide.page.locator("main .empty").first.inner_text()
    assert words.startswith(PAGES[name])
    assert CUT not in words
    assert "yet" not in words
