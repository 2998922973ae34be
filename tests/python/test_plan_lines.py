"""plan_lines.py: which lines built a DataFrame, by proxies as Py4J's are, and by those of real pyspark, 3.5 and 4."""

import importlib
import pathlib
import re

import pytest
from conftest import JOBS, on
from shared_classes import spark_of

JOB = JOBS / "plan_lines.py"
OWN = "count at job.py:99"


class Proxy:
    """Of an object of the JVM's."""

    def _get_object_id(self):
        return "o1"


@pytest.fixture
def plan_lines(package, monkeypatch):
    monkeypatch.syspath_prepend(str(package))
    return importlib.import_module("sparkmemprof.plan_lines")


@pytest.fixture
def step(plan_lines):
    """Makes an object of others at a line, as a method of PySpark's there would."""

    def make(place, *made_of):
        answer = Proxy()
        plan_lines.keep(answer, place, plan_lines.of(made_of))
        return answer

    return make


def told(plan_lines, proxy, site=OWN):
    return plan_lines.text_of(plan_lines.of([proxy]), site).split("\n")


def test_lines_of_a_join_are_in_the_order_in_which_they_ran(plan_lines, step):
    numbers = step("tables.py:1")
    pairs = step("job.py:2", numbers, "id % 7")
    small = step("tables.py:3", numbers, 7)
    joined = step("job.py:5", step("job.py:4", pairs, small, ["rest"]))
    assert told(plan_lines, joined) == ["job.py:99", "tables.py:1", "job.py:2", "tables.py:3", "job.py:4,5"]
    assert told(plan_lines, step(None, small)) == ["job.py:99", "tables.py:1,3"], "a writer adds nothing"
    assert told(plan_lines, numbers) == ["job.py:99", "tables.py:1"], "and what was made of it is none of its own"


def test_a_loop_is_one_line_and_the_newest_are_kept(plan_lines, step):
    frame = step("job.py:1")
    for _ in range(1_000):
        frame = step("job.py:9", step("job.py:8", frame))
    assert told(plan_lines, frame) == ["job.py:99", "job.py:1,8,9"]
    for line in range(10, 30):
        frame = step(f"job.py:{line}", frame)
    assert told(plan_lines, frame) == ["job.py:99", "job.py:" + ",".join(map(str, range(14, 30)))]


def test_what_has_no_room_is_left_out_whole(plan_lines, step):
    long = "/" + "\u5e74" * 150
    frame = step(f"{long}1.py:1")
    for number in (2, 3, 4):
        frame = step(f"{long}{number}.py:{number}", frame)
    assert told(plan_lines, frame) == ["job.py:99", f"{long}3.py:3", f"{long}4.py:4"], "450 bytes each"
    assert plan_lines.text_of(plan_lines.of([frame]), "count at /" + "x" * 1000 + ":1") == ""


def test_what_adds_no_line(plan_lines, step):
    before = plan_lines.of([step("job.py:1")])
    assert plan_lines.place_of("select", OWN, {}) == "job.py:99"
    assert plan_lines.place_of("select", None, before) is None
    assert plan_lines.place_of("option", OWN, before) is None, "a writer's"
    for function in ("take", "head", "first"):
        assert plan_lines.place_of("limit", f"{function} at job.py:99", before) is None
    assert plan_lines.place_of("limit", "limit at job.py:99", before) == "job.py:99"
    assert plan_lines.place_of("as", OWN, {}) is None, "a column's"
    assert plan_lines.place_of("as", OWN, before) == "job.py:99"


def test_what_is_no_proxy_or_no_line_is_left_alone(plan_lines, step):
    frame = step("job.py:1")
    for answer in (7, None, "text", [frame]):
        plan_lines.keep(answer, "job.py:2", {})
    assert plan_lines.of((7, None, "text", [frame], Proxy())) == {}
    assert plan_lines.of([step("a\n/etc/b.py:3")]) == {}
    assert plan_lines.text_of({}, OWN) == plan_lines.text_of(plan_lines.of([frame]), None) == ""


def lines_of_frames():
    """{name: lines}, by the comments of the job."""
    frames = {}
    for number, line in enumerate(JOB.read_text().splitlines(), 1):
        if found := re.search(r"  # (?!noqa)(\w+)(?:: ([\w ]+))?$", line):
            made_of = [frames[name] for name in (found[2] or "").split()]
            frames[found[1]] = sorted({number}.union(*made_of))
    return frames


@on("4")
def test_lines_of_real_frames(run_job):
    result, _ = run_job("plan_lines")
    wanted = lines_of_frames()
    assert len(result["built"]) > 20
    assert result["built"] == {name: wanted[name] for name in result["built"]}
    assert result["column"] == {}


# What PySpark calls of frames, groupings, readers and writers that makes no frame whose lines are kept.
NO_STEPS = {
    "Dataset": "apply asTable cache colRegex createGlobalTempView createOrReplaceGlobalTempView "
    "createOrReplaceTempView createTempView inputFiles isLocal isStreaming metadataColumn persist queryExecution "
    "randomSplit sameSemantics schema semanticHash sparkSession storageLevel toString unpersist writeStream",
    "DataStreamReader": "name schema",
    "DataStreamWriter": "foreach outputMode queryName start toTable trigger",
}


@pytest.mark.parametrize("pyspark_python", ["3_5", "4"], indirect=True)
def test_each_method_that_pyspark_calls_is_followed_or_left_out_on_purpose(plan_lines, pyspark_python):
    followed = importlib.import_module("sparkmemprof.call_sites")._FOLLOWED
    calls = re.compile(r"_j(?:df|gd|reader|write|writer)\s*\.\s*(\w+)\(|getattr\(self\._j(?:df|gd), \"(\w+)\"\)")
    pyspark = pathlib.Path(spark_of(pyspark_python))
    called = set()
    for file in [*(pyspark / "sql").rglob("*.py"), *(pyspark / "pandas").rglob("*.py")]:
        if not {"tests", "connect"} & set(file.relative_to(pyspark).parts):
            called |= {name for found in calls.findall(file.read_text()) for name in found if name}
    assert len(called) > 100
    assert called - followed - {name for names in NO_STEPS.values() for name in names.split()} == set()
