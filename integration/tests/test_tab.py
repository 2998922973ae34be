"""The Memory tab of a running application, as a browser and a script meet it: real Spark, its own UI, the jar alone."""

import collections
import concurrent.futures
import contextlib
import html.parser
import itertools
import json
import re
import time

import jsonschema
import pytest
from conftest import ROOT, demand_blocks, sites_at, warnings_of
from live_application import BLOCK, running, settled
from processes import until

HOSTILE = "<script>alert(1)</script>\"'&"
PATHS = ["", "app.js", "app.css", "api/v1/report", "api/v1/executors", "api/v1/stages", "api/v1/stages/0/0", "nowhere"]
SECURITY_HEADERS = ["X-Frame-Options", "X-XSS-Protection", "X-Content-Type-Options", "Cache-Control"]


class Page(html.parser.HTMLParser):
    """What of a page matters here: its tags with their attributes, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words, self._inside = [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside.append(tag)

    def handle_data(self, data):
        if self._inside and self._inside[-1] not in ("script", "style"):
            self.words += data

    def handle_endtag(self, tag):
        while tag in self._inside and self._inside.pop() != tag:
            pass
        self.words += " "

    def links(self):
        return [attrs[name] for _, attrs in self.tags for name in ("href", "src") if attrs.get(name)]


def fragment(page):
    """Our part of a page: the app's place, and the app."""
    start, end = page.index('<div id="sparkmemprof"'), '<script src="app.js"></script>'
    return page[start : page.index(end) + len(end)]


def test_the_tab_is_in_the_navigation_bar(live):
    for path in ("/jobs/", "/memory/"):
        page = Page(live.ask(path).text())
        assert "/memory/" in page.links()
        assert "/stages/" in page.links(), "Spark's own frame"
    moved = live.ask("/memory")
    assert moved.status in (301, 302)
    assert moved.headers["Location"].endswith("/memory/")


def test_the_page_starts_the_app(live):
    answer = live.tab()
    assert answer.status == 200
    assert answer.content_type() == "text/html;charset=utf-8"
    assert "No executor and no Python worker has died so far." in Page(fragment(answer.text())).words
    for path, kind in [("app.js", "text/javascript;charset=utf-8"), ("app.css", "text/css;charset=utf-8")]:
        served = live.tab(path)
        assert (served.status, served.content_type()) == (200, kind)
        assert len(served.body) > 10_000
    assert answer.text().startswith("<!DOCTYPE html>")
    assert answer.text().rstrip().endswith("</html>")


def test_hostile_names_stay_out_of_the_page(live):
    assert "alert(1)</script>" not in live.tab().text()


def test_the_page_keeps_within_a_content_security_policy(live, line):
    answer = live.tab()
    if line == "4":
        assert "script-src 'self' 'nonce-" in answer.headers["Content-Security-Policy"]
    tags = Page(fragment(answer.text())).tags
    assert [attributes for tag, attributes in tags if tag == "script"] == [{"src": "app.js"}]
    for tag, attributes in tags:
        assert tag != "style"
        assert not [name for name in attributes if name == "style" or name.startswith("on")]
    sheet = live.tab("app.css")
    assert "url(" not in sheet.text()
    assert "@import" not in sheet.text()


def test_links_hold_behind_a_proxy(live):
    text = live.tab(X_Forwarded_Context="/gate/42").text()
    assert "/gate/42/memory/" in Page(text).links()
    ours = Page(fragment(text)).links()
    assert ours == ["api/v1/report", "app.js"]
    assert not [link for link in ours if link.startswith("/") or ":" in link]


def test_headers_are_those_of_sparks_pages(live):
    model = live.ask("/jobs/").headers
    for path in PATHS:
        headers = live.tab(path).headers
        for name in SECURITY_HEADERS:
            assert headers.get(name) == model.get(name), (path, name)
        assert ("Content-Security-Policy" in headers) == ("Content-Security-Policy" in model)


def test_the_model_as_json(live):
    report = live.report()
    schema = json.loads((ROOT / "docs/report.schema.json").read_text())
    jsonschema.validate(report, schema)
    assert report["unfinished"] is True
    assert report["application"]["name"] == HOSTILE
    (site,) = sites_at(report["stages"][0]["sites"], "tab.py", "block")
    demand_blocks(site, BLOCK, tasks=2)


def row_of(stage):
    """What the list of stages has of it."""
    other = {key: value for key, value in stage["otherAttempts"].items() if key not in ("sites", "lines")}
    brief = {key: value for key, value in stage.items() if key not in ("sites", "lines", "taskRows")}
    return brief | {"otherAttempts": other}


def test_parts_are_of_the_same_model(live):
    """Of one moment: where what the heap retains has become known meanwhile, they are asked for again."""
    moment = {}

    def is_one():
        report = moment["report"] = live.report()
        moment["rows"] = live.tab("api/v1/stages").json()
        moment["stages"] = [
            live.tab(f"api/v1/stages/{stage['stageId']}/{stage['attempt']}").json() for stage in report["stages"]
        ]
        rows_fit = moment["rows"]["stages"] == [row_of(stage) for stage in report["stages"]]
        return rows_fit and moment["stages"] == report["stages"]

    until(is_one, 60, lambda: f"parts of one model: {moment}")
    report, rows = moment["report"], moment["rows"]
    executors = live.tab("api/v1/executors").json()
    assert [row["id"] for row in executors["executors"]] == [row["id"] for row in report["executors"]]
    assert executors["total"] == len(report["executors"])
    assert [rows["schemaVersion"], rows["total"], rows["offset"]] == [1, 3, 0]


def test_paging(live):
    def ids(query):
        page = live.tab(f"api/v1/stages?{query}").json()
        assert page["total"] == 3
        return [row["stageId"] for row in page["stages"]]

    assert ids("offset=1&length=1") == [1]
    assert ids("length=2") == [0, 1]
    assert ids("offset=2") == [2]
    assert ids("offset=3") == []
    assert ids("offset=9223372036854775807&length=1000") == []
    assert ids("doAs=&user.name=proxy") == [0, 1, 2], "what proxies add"


@pytest.mark.parametrize(
    ("path", "status", "told"),
    [
        ("nowhere", 404, "api/v1/report"),
        ("api/v1/", 404, "api/v1/report"),
        ("api/v2/report", 404, "api/v1/report"),
        ("api/v1/stages/99/0", 404, "no such stage attempt"),
        ("api/v1/stages/0/1", 404, "no such stage attempt"),
        ("api/v1/stages/x/0", 400, "whole numbers"),
        ("api/v1/stages/0", 400, "whole numbers"),
        ("api/v1/stages/-1/0", 400, "whole numbers"),
        ("api/v1/stages/99999999999/0", 400, "whole numbers"),
        ("api/v1/stages?offset=-1", 400, "offset must be"),
        ("api/v1/stages?offset=1e3", 400, "offset must be"),
        ("api/v1/stages?offset=", 400, "offset must be"),
        ("api/v1/stages?length=0", 400, "length must be"),
        ("api/v1/stages?length=1001", 400, "length must be"),
        ("api/v1/executors?length=%3Cscript%3E", 400, "length must be"),
    ],
)
def test_wrong_requests_say_what_to_ask_for(live, path, status, told):
    answer = live.tab(path)
    assert answer.status == status
    assert told in answer.text()
    assert answer.content_type() == "text/plain;charset=utf-8"
    assert len(answer.text().splitlines()) == 1, "no stack trace"


def test_the_tab_can_only_be_read(live):
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE"):
        answer = live.tab("api/v1/report", method=method)
        assert answer.status == 405, method
    for path in PATHS:
        head, get = live.tab(path, method="HEAD"), live.tab(path)
        assert (head.status, head.body) == (get.status, b"")
        assert "Content-Length" in head.headers


def test_many_readers_at_once(live):
    # Connections are made one after the other. Spark's server lets few wait to be accepted, and Linux makes the others
    # of a burst wait for up to a minute.
    with contextlib.ExitStack() as open_ones:
        readers = [open_ones.enter_context(live.reader()) for _ in range(24)]
        with concurrent.futures.ThreadPoolExecutor(len(readers)) as pool:
            told = pool.map(lambda read: [read("api/v1/report") for _ in range(4)], readers)
            answers = [answer for each in told for answer in each]
    assert len(answers) == 96
    assert {answer.status for answer in answers} <= {200, 503}
    told = [answer.json() for answer in answers if answer.status == 200]
    assert told
    assert {len(report["stages"]) for report in told} == {3}


@pytest.mark.one_line
def test_readers_without_the_right_to_view(spark_run, sign_in, tmp_path):
    conf = {
        "spark.driver.extraClassPath": sign_in,
        "spark.ui.filters": "SignIn",
        "spark.acls.enable": "true",
        "spark.ui.view.acls": "alice",
    }
    with running(spark_run, tmp_path / "job", conf) as application:
        for path in PATHS:
            assert application.tab(path, X_User="alice").status == (404 if path == "nowhere" else 200)
            for method in ("GET", "HEAD", "POST"):
                refused = application.tab(path, method=method, X_User="mallory")
                assert refused.status == 403, (path, method)
                assert b"tab.py" not in refused.body
                assert b"schemaVersion" not in refused.body
        assert application.ask("/jobs/", X_User="mallory").status == 403, "as Spark's own pages"


def but_for_what_comes_late(stage):
    """What of a stage stands when its tasks are done.

    Symbols of native frames, which may join sites, come after; what is left on the heap is known from the next
    collection on.
    """
    sites, native = [], collections.Counter()
    for site in stage["sites"]:
        if "native" in [frame["language"] for frame in site["frames"]]:
            native[site["origin"]] += site["allocatedBytes"]
        else:
            sites.append({name: figure for name, figure in site.items() if name != "retainedBytes"})
    return {**stage, "sites": sites, "native": native}


def peaks(report):
    """Of each executor's container, and of each of its processes."""
    executors = report["executors"]
    containers = {executor["id"]: executor["atPeak"]["usedBytes"] for executor in executors if executor["atPeak"]}
    each = [(executor["id"], process) for executor in executors for process in executor["processes"]]
    return containers | {(executor, process["pid"]): process["peakRssBytes"] for executor, process in each}


@pytest.mark.one_line("4")
def test_same_figures_as_the_file(spark_run, tmp_path):
    with running(spark_run, tmp_path / "job") as application:
        seen = []
        for _ in range(4):
            seen.append(peaks(application.report()))
            time.sleep(0.5)
        shown = settled(application)
        run = application.finish().demand_success()
    final = run.report()
    seen += [peaks(shown), peaks(final)]
    for before, after in itertools.pairwise(seen):
        assert [name for name, peak in before.items() if after.get(name, 0) < peak] == [], "a peak never falls"
    assert len(seen[-1]) >= 4, "a container, its JVM and Python processes"
    assert [shown["unfinished"], final["unfinished"]] == [True, False]
    first, last = ([but_for_what_comes_late(stage) for stage in of["stages"]] for of in (shown, final))
    assert first == last
    assert shown["sampling"] == final["sampling"]
    assert [row["id"] for row in shown["executors"]] == [row["id"] for row in final["executors"]]
    assert warnings_of(run) == []


@pytest.mark.one_line
def test_switched_off(spark_run, tmp_path):
    with running(spark_run, tmp_path / "job", {"spark.memprof.ui.enabled": "false"}) as application:
        assert "/memory/" not in Page(application.ask("/jobs/").text()).links()
        assert b"schemaVersion" not in application.tab("api/v1/report").body
        run = application.finish().demand_success()
    assert run.report()["unfinished"] is False


@pytest.mark.full
@pytest.mark.one_line
def test_without_a_ui(spark_run, tmp_path):
    with running(spark_run, tmp_path / "job", {"spark.ui.enabled": "false"}) as application:
        run = application.finish().demand_success()
    assert run.report()["unfinished"] is False
    assert warnings_of(run) == []


def figures_of(report):
    (driver,) = report["executors"]
    workers = [process["peakRssBytes"] for process in driver["processes"] if process["kind"].startswith("python")]
    return {
        "largestExecutorPeakBytes": driver["atPeak"]["usedBytes"],
        "largestPythonProcessPeakBytes": max(workers),
        "executors": 1,
        "leakingLines": 0,
        "postMortems": 0,
    }


def test_figures_are_in_sparks_metrics(live):
    """As its sinks have them. A peak may grow while it is asked for."""
    before = figures_of(live.report())
    gauges = json.loads(live.ask("/metrics/json/").text())["gauges"]
    scraped = live.ask("/metrics/prometheus/").text()
    after = figures_of(live.report())
    found = {
        name.rpartition("sparkmemprof.")[2]: gauge["value"]
        for name, gauge in gauges.items()
        if ".sparkmemprof." in name
    }
    percent = found.pop("largestExecutorPeakPercentOfLimit")
    assert 0 < percent < 100 if live.report()["executors"][0]["limitEnforced"] else percent == -1
    assert set(found) == set(before)
    assert all(before[name] <= found[name] <= after[name] for name in found), (before, found, after)
    values = re.findall(r"^metrics_[\w-]+_driver_sparkmemprof_(\w+)_Value\{[^}]*\} (\S+)$", scraped, re.MULTILINE)
    scraped = {name: float(value) for name, value in values if name in before}
    assert set(scraped) == set(before)
    assert all(before[name] <= scraped[name] <= after[name] for name in scraped), (before, scraped, after)
