"""Fixtures of the browser's tests: Chromium, the native view, models as files."""

import importlib.util
import json
import os
import pathlib
import subprocess

import browsing
import jsonschema
import models
import pytest

BUILD = pathlib.Path(os.environ.get("MEMPROF_BUILD", browsing.ROOT / "build/release"))


@pytest.fixture(scope="session")
def browser():
    with browsing.chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def store():
    """The C++ views, as the command line has them."""
    (path,) = (BUILD / "python/sparkmemprof").glob("_store.cpython-311-*.so")
    spec = importlib.util.spec_from_file_location("_store", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def app():
    """The folder with the bundled app, as the Spark UI serves it."""
    return BUILD / "report-app"


@pytest.fixture(scope="session")
def html_file(store, tmp_path_factory):
    """Makes the HTML file of a model; its address."""

    def make(model):
        content = model if isinstance(model, bytes) else json.dumps(model).encode()
        path = tmp_path_factory.mktemp("report") / "report.html"
        path.write_text(store.render_html(content))
        return path.as_uri()

    return make


@pytest.fixture(scope="session")
def sample(html_file, tmp_path_factory):
    """The file of what the C++ tests' sample store made (tests/cpp/report/sample_store.h)."""
    path = tmp_path_factory.mktemp("sample") / "report.json"
    subprocess.run(
        [BUILD / "tests/report_tests", "--gtest_filter=SampleReport.*"],
        env={**os.environ, "MEMPROF_SAMPLE_REPORT": str(path)},
        check=True,
        capture_output=True,
    )
    return html_file(path.read_bytes())


@pytest.fixture(scope="session")
def rich(html_file):
    model = models.everything()
    jsonschema.validate(model, browsing.SCHEMA)
    return html_file(model)


@pytest.fixture(scope="session")
def large(html_file):
    return html_file(models.large())


@pytest.fixture(scope="session")
def hostile(html_file):
    model = models.hostile(models.everything())
    jsonschema.validate(model, browsing.SCHEMA)
    return html_file(model)


@pytest.fixture
def wide(browser):
    with browsing.window(browser) as seen:
        yield seen
        seen.demand_quiet()
