"""What the app works out: names of frames and numbers, as the C++ views write them, and which advice it shows."""

import json
import re

import browsing
import models
import processes
import pytest

APP = browsing.ROOT / "report-app"
# Bundles the files that write frames and numbers and choose advice, and calls them with what comes in.
CALLER = """
import {buildSync} from 'esbuild';
const source = `export * from './src/titles'; export * from './src/units'; export * from './src/strongest';`;
const built = buildSync({stdin: {contents: source, resolveDir: '.'}, bundle: true, write: false, format: 'esm'});
const app = await import('data:text/javascript,' + encodeURIComponent(built.outputFiles[0].text));
let text = '';
for await (const piece of process.stdin) text += piece;
const given = JSON.parse(text);
console.log(JSON.stringify({
  frames: given.frames.map((frame) => [app.frameTitle(frame), app.framePlace(frame)]),
  bytes: given.bytes.map(app.formatBytes),
  shares: given.shares.map(([part, whole]) => app.formatPercent(part, whole)),
  advice: app.strongest(given.advice).map((piece) => [piece.conf, piece.to, piece.because]),
}));
"""
PACKAGES = "/v/lib/python3.11/site-packages"
FRAMES = [
    models.frame("f", "/jobs/job.py", 8),
    models.frame("<module>", f"{PACKAGES}/pandas/core/frame.py", 1),
    models.frame("f", "/pex/installed_wheels/5a/pandas-1.5.3-cp311.whl/pandas/core/frame.py", 9),
    models.frame("f", "/jobs/pkg/__init__.py", 3),
    models.frame("f", "__init__.py", 3),
    models.frame("f", "/tmp/helpers.zip/helpers/mod.py", 4),
    models.frame("f", "notebook cell 12", 3),
    models.frame("f", "/jobs/job.py", None),
    models.frame("Foo.bar", "Foo.scala", 7, "java", "org.apache.spark.sql"),
    models.frame("org.apache.spark.sql.Foo$.bar", "Foo.scala", 7, "java"),
    models.frame("bar", "Foo.java", 7, "java", "org/apache/spark/sql/Foo"),
    models.frame("bar", None, None, "java", "lower.case.only"),
    models.frame("default_malloc", None, None, "native", f"{PACKAGES}/numpy/_multiarray_umath.cpython-311-x86_64.so"),
    models.frame("_ZN5arrow", "/src/memory_pool.cc", 41, "native", "/lib/libarrow.so.2000"),
    {**models.frame(None, None, None, "native", "/lib/libstripped.so"), "offset": 0xBEEF, "buildId": "00"},
    models.frame(None, None, None, "unknown"),
]
BYTES = [1, 1023, 1024, 1126, 1075, 1024**2 - 1, 1024**2, 5 * 1024**2 + 52429, 10**9, 7 * 1024**4 + 1, 2**53 - 1]
OVERHEAD, CORES = "spark.executor.memoryOverhead", "spark.executor.cores"
ADVICE = [
    (OVERHEAD, "384m", "900m"),
    (CORES, "4", "3"),
    (OVERHEAD, "384m", "1g"),
    (CORES, "4", "2"),
    (OVERHEAD, "384m", "1000m"),
    ("spark.executor.memory", None, "2g"),
    (OVERHEAD, "2g", "1g"),
    ("spark.master", "local[8]", "local[4]"),
    ("spark.master", "local[8]", "local[2]"),
    (None, None, None),
    (None, None, None),
]
SHARES = [(1, 1000), (5, 1000), (15, 1000), (25, 1000), (333, 1000), (666, 1000), (999, 1000), (1500, 1000)]


@pytest.fixture(scope="module")
def of_app():
    advice = [{"conf": conf, "from": before, "to": to, "because": "why"} for conf, before, to in ADVICE]
    given = json.dumps({"frames": FRAMES, "bytes": BYTES, "shares": SHARES, "advice": advice})
    answer = processes.run(["node", "--input-type=module", "--eval", CALLER], 60, input=given, cwd=APP)
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def test_frames(store, of_app):
    site = {**models.python_site("f", 1, 1), "frames": FRAMES}
    model = models.report(stages=[models.stage(0, [site])])
    (line,) = store.render_collapsed(json.dumps(model).encode(), "allocated").splitlines()
    told = line.rpartition(" ")[0].split(";")[-len(FRAMES) :]
    assert told == [f"{title} ({place})" if place else title for title, place in of_app["frames"]]


def verdict(store, used, limit):
    """The verdict's figures: use, limit, share."""
    model = models.report(executors=[models.executor("1", used, limit)])
    html = store.render_html(json.dumps(model).encode())
    sentence = json.loads(re.search(r'id="sparkmemprof-model">(.*?)</script>', html, re.DOTALL)[1])["verdict"]
    return re.search(r"used at most (.*) of (.*), (.*)\.$", sentence["sentence"]).groups()


def test_bytes(store, of_app):
    assert [verdict(store, each, 1)[0] for each in BYTES] == of_app["bytes"]


def test_shares(store, of_app):
    assert [verdict(store, *each)[2] for each in SHARES] == of_app["shares"]


def test_of_advice_on_one_setting_the_strongest_is_shown(of_app):
    assert [tuple(piece[:2]) for piece in of_app["advice"]] == [
        (OVERHEAD, "1g"),
        (CORES, "2"),
        ("spark.executor.memory", "2g"),
        (OVERHEAD, "1g"),  # of another executor's that is too large
        ("spark.master", "local[4]"),
        ("spark.master", "local[2]"),
        (None, None),
    ]
