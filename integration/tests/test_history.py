"""What is left of a report when its application is gone: parts of it in Spark's event log, and who reads them."""

import json
import random
import subprocess

import browsing
import pytest
from conftest import LOCAL_CLUSTER, ROOT, demand_blocks, ours, sites_at, warnings_of
from history_server import serving
from processes import kill_session, until

EVENT = '{"Event":"org.sparkmemprof.report.ReportPart"'
SIZE = 1_999_993
PAGES = ["", "executors", "executors/0", "stages", "stages/0.0", "lines", "flame", "driver", "deaths", "about"]


@pytest.fixture(scope="module")
def logged(shared_run, tmp_path_factory):
    """(run, event log) of an application with two executors that has ended."""
    events = tmp_path_factory.mktemp("events")
    conf = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events,
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
        "spark.memprof.patience": "20",  # what comes after the log is in no report, and nothing need come
    }
    run = shared_run("sum.py", SIZE, master=LOCAL_CLUSTER, conf=conf).demand_success()
    (log,) = events.iterdir()
    return run, log


def without_source(report):
    for stage in report["stages"]:
        for line in stage["lines"] + stage["otherAttempts"]["lines"]:
            line["source"] = None
    return report


def test_the_event_log_holds_the_report(logged, command_line):
    run, log = logged
    assert warnings_of(run) == []
    shown = command_line("report", log, "--format", "json")
    assert shown.returncode == 0, shown.stderr
    report = json.loads(shown.stdout)
    (site,) = sites_at(report["stages"][0]["sites"], "sum.py", "block")
    demand_blocks(site, SIZE, tasks=2)
    assert report == without_source(run.report())


def test_what_lies_in_the_log(logged):
    _, log = logged
    lines = log.read_text().splitlines()
    parts = [json.loads(line) for line in lines if line.startswith(EVENT)]
    kinds = {(part["part"], part["id"]) for part in parts}
    assert {("stage", "0.0"), ("executor", "0"), ("executor", "1"), ("application", "")} <= kinds
    assert {part["schemaVersion"] for part in parts} == {1}
    assert max(len(line) for line in lines if line.startswith(EVENT)) < 64 << 10
    assert "bytearray(SIZE)" not in "".join(lines), "names, not lines of source"


@pytest.mark.one_line("4")
def test_rolled_and_compressed_with_source_where_it_is_asked_for(spark_run, tmp_path, command_line):
    conf = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": tmp_path,
        "spark.eventLog.rolling.enabled": "true",
        "spark.eventLog.compress": "true",
        "spark.memprof.source": "lines",
        "spark.memprof.patience": "20",
    }
    run = spark_run("sum.py", SIZE, conf=conf).demand_success()
    (log,) = tmp_path.glob("eventlog_v2_*")
    assert {piece.suffix for piece in log.glob("events_*")} == {".zstd"}
    shown = command_line("report", log, "--format", "json")
    assert json.loads(shown.stdout) == run.report(), shown.stderr


def has_stage(events):
    """Whether a log there has the part of a stage, and the whole line."""
    lines = [line for log in events.iterdir() for line in log.read_text(errors="replace").splitlines(keepends=True)]
    parts = [json.loads(line) for line in lines if line.startswith(EVENT) and line.endswith("\n")]
    return any(part["part"] == "stage" for part in parts)


@pytest.mark.one_line("4")
def test_of_a_driver_that_was_killed_what_it_had_written(spark_run, tmp_path, command_line):
    events, done = tmp_path / "events", tmp_path / "done"
    events.mkdir()
    conf = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events,
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }
    launch = spark_run.prepare("waits.py", done, conf=conf)
    with open(tmp_path / "stderr", "w") as stderr:
        process = launch.start(stderr=stderr, start_new_session=True)
        try:
            until(lambda: has_stage(events), 90, (tmp_path / "stderr").read_text)
        finally:
            kill_session(process)
    (log,) = events.glob("*.inprogress")
    shown = command_line("report", events, "--format", "json")
    report = json.loads(shown.stdout)
    assert report["unfinished"] is True
    assert report["application"]["id"] == log.name.removesuffix(".inprogress")
    (site,) = sites_at(report["stages"][0]["sites"], "waits.py", "block")
    demand_blocks(site, 2_200_013, tasks=1)
    assert any("the end of the application" in entry["what"] for entry in report["notAvailable"])


CODECS = ["zstd", "lz4", "snappy", "lzf"]


@pytest.fixture(scope="module")
def long_log(logged, tmp_path_factory):
    """The event log with so much between our last two parts that cut in its middle it holds all but the very last."""
    _, log = logged
    lines = log.read_text(errors="replace").splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if line.startswith(EVENT))
    noise = random.Random(20_021)
    others = [f'{{"Event":"of.somebody.else","noise":"{noise.randbytes(50_000).hex()}"}}\n' for _ in range(40)]
    path = tmp_path_factory.mktemp("long") / log.name
    path.write_text("".join(lines[:last] + others + lines[last:]))
    return path


@pytest.fixture(scope="module")
def recompressed(spark, long_log):
    """{codec: the event log as Spark's own codec writes it}."""
    program = ROOT / "integration/tests/codecs/Recompress.java"
    command = ["java", "-cp", f"{spark.home}/jars/*", program, long_log, long_log.parent, *CODECS]
    subprocess.run(command, check=True, capture_output=True)
    return {codec: long_log.with_name(f"{long_log.name}.{codec}") for codec in CODECS}


@pytest.mark.one_line("4")
@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_of_spark_whole_and_cut(logged, recompressed, command_line, tmp_path, codec):
    _, log = logged
    packed = recompressed[codec]
    as_it_is = json.loads(command_line("report", log, "--format", "json").stdout)
    assert json.loads(command_line("report", packed, "--format", "json").stdout) == as_it_is
    cut = tmp_path / packed.name
    cut.write_bytes(packed.read_bytes()[: packed.stat().st_size // 2])
    shown = command_line("report", cut, "--format", "json")
    assert shown.returncode == 0, shown.stderr
    half = json.loads(shown.stdout)
    assert half["unfinished"] is True
    assert half["stages"] == as_it_is["stages"]
    cut.write_bytes(packed.read_bytes()[:100])
    shown = command_line("report", cut, "--format", "json")
    assert shown.returncode != 0
    assert "cut off" in shown.stderr


@pytest.fixture(scope="module")
def oversized(logged):
    """Another application's log beside it, with a part that is larger than any of ours."""
    _, log = logged
    path = log.with_name(log.name + "9")
    lines = log.read_text().replace(log.name, path.name).splitlines(keepends=True)
    huge = {"Event": json.loads(EVENT + "}")["Event"], "part": "stage", "id": "99.0", "schemaVersion": 1}
    last = max(number for number, line in enumerate(lines) if line.startswith(EVENT))
    lines.insert(last, json.dumps(huge | {"report": "x" * (3 << 20)}, separators=(",", ":")) + "\n")
    path.write_text("".join(lines))
    return path


@pytest.fixture(scope="module")
def server(spark, jar, logged, oversized, tmp_path_factory):
    with serving(spark, logged[1].parent, tmp_path_factory.mktemp("server") / "cwd", [jar]) as server:
        yield server


def test_the_history_server_has_the_same_report(server, logged, command_line):
    _, log = logged
    served = server.page(log.name, "memory/api/v1/report").json()
    assert served == json.loads(command_line("report", log, "--format", "json").stdout)
    stage = server.page(log.name, "memory/api/v1/stages/0/0").json()
    assert stage == served["stages"][0]
    assert server.page(log.name, "memory/api/v1/stages?length=0").status == 400
    assert server.page(log.name, "memory/api/v1/report", method="POST").status == 405
    assert ours(server.log()) == []


def test_a_part_that_is_not_read_is_told(server, logged, oversized, command_line):
    served = server.page(oversized.name, "memory/api/v1/report").json()
    assert served == json.loads(command_line("report", oversized, "--format", "json").stdout)
    (told,) = [entry["why"] for entry in served["notAvailable"] if entry["what"] == "1 part of the event log"]
    assert "sparkmemprof report EVENTLOG" in told
    assert told.endswith(" try sparkmemprof report EVENTLOG of the version that wrote the log")
    whole = server.page(logged[1].name, "memory/api/v1/report").json()
    assert served["stages"] == whole["stages"]


def test_its_page_stands_in_sparks_own(server, logged):
    _, log = logged
    server.page(log.name, "memory/")
    jobs = server.page(log.name, "jobs/").text()
    assert f'href="/history/{log.name}/memory/"' in jobs
    page = server.page(log.name, "memory/").text()
    assert f'href="/history/{log.name}/jobs/"' in page
    assert "data-past" in page


@pytest.mark.one_line("4")
def test_in_a_browser_it_asks_once(server, logged, line):
    _, log = logged
    server.page(log.name, "memory/")
    with browsing.chromium() as browser, browsing.window(browser) as seen:
        seen.open(f"http://{server.host}/history/{log.name}/memory/#/lines")
        seen.page.locator("tbody tr", has_text="sum.py:").first.wait_for()
        assert seen.page.locator(".banner").count() == 0
        seen.demand_within_spark("light", f"history-{line}-lines")
        seen.requests.clear()
        seen.page.wait_for_timeout(6000)
        assert seen.requests == [], "the application is over"
        seen.demand_quiet()


@pytest.mark.one_line("4")
@pytest.mark.parametrize(("width", "scheme"), [("wide", "light"), ("narrow", "dark")])
@pytest.mark.full
def test_every_page_of_it(server, logged, line, width, scheme):
    _, log = logged
    server.page(log.name, "memory/")
    with browsing.chromium() as browser, browsing.window(browser, width, scheme) as seen:
        for name in PAGES:
            seen.open(f"http://{server.host}/history/{log.name}/memory/#/{name}")
            seen.demand_within_spark(scheme, f"history-{line}-{name.replace('/', '-') or 'summary'}-{width}")
        seen.demand_quiet()


@pytest.mark.one_line("4")
def test_readers_without_the_right_to_view(spark, jar, logged, sign_in, tmp_path):
    _, log = logged
    settings = {
        "spark.ui.filters": "SignIn",
        "spark.history.ui.acls.enable": "true",
        "spark.history.ui.admin.acls": "alice",
    }
    with serving(spark, log.parent, tmp_path / "cwd", [jar, sign_in], settings) as server:
        assert server.page(log.name, "memory/api/v1/report", X_User="alice").status == 200
        for path in ("", "app.js", "api/v1/report", "api/v1/executors", "nowhere"):
            refused = server.page(log.name, f"memory/{path}", X_User="mallory")
            assert refused.status == 403, path
            assert b"schemaVersion" not in refused.body


@pytest.mark.one_line("4")
def test_without_the_native_library_it_says_so(spark, logged, jar_without, tmp_path):
    _, log = logged
    crippled = jar_without(lambda name, content: None if name.endswith("libsparkmemprof.so") else content)
    with serving(spark, log.parent, tmp_path / "cwd", [crippled]) as server:
        answer = server.page(log.name, "memory/")
        assert answer.status == 503
        assert "libsparkmemprof.so" in answer.text()
        assert "sparkmemprof report EVENTLOG" in answer.text()
        assert server.page(log.name, "jobs/").status == 200
