"""A cell of a notebook that shows a large report: browsers bound the address of a frame, but not its content."""

import json
import sys

import browsing
import models
import pytest


@pytest.fixture
def shown(store, monkeypatch):
    """sparkmemprof.notebook.Shown, with the native module of the build."""
    monkeypatch.syspath_prepend(browsing.ROOT / "pyworker-shim")
    monkeypatch.setitem(sys.modules, "sparkmemprof._store", store)
    import sparkmemprof
    from sparkmemprof.notebook import Shown

    monkeypatch.setattr(sparkmemprof, "_store", store, raising=False)
    return lambda model: Shown(json.dumps(model).encode(), "report.json", 800)


def test_a_large_report_is_drawn_in_its_cell(wide, shown, tmp_path):
    cell = shown(models.large())._repr_html_()
    assert len(cell) > 2 << 20, "what a data: address may have"
    path = tmp_path / "notebook.html"
    # Without it Chromium guesses the encoding from as much as it has read by then.
    path.write_text(f'<!doctype html><meta charset="utf-8"><title>notebook</title>{cell}')
    wide.page.goto(path.as_uri())
    frame = wide.page.frame_locator("iframe")
    frame.get_by_role("link", name="Stages").click()
    frame.get_by_role("heading", name="Stages").first.wait_for()
    assert wide.page.url == path.as_uri(), "its links lead within the frame"
    wide.demand_quiet()
