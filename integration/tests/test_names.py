"""Code that no file of the driver's has is shown by names its author knows, the same on every executor."""

import json

import pytest
from conftest import BESIDE_BYTES, JOBS, LOCAL_CLUSTER, line_of, model_of, warnings_of

pytestmark = pytest.mark.one_line("4")

TASKS = 4
NAMES = {
    "<stdin>": (2_100_001, "typed"),
    "notebook cell 456": (2_200_003, "typed"),
    "notebook cell 7": (2_300_009, "typed"),
    "helpers.zip/helpers/mod.py": (2_400_011, "shipped"),
    "others.egg/others/mod.py": (2_500_001, "shipped"),
    "single.py": (2_600_003, "shipped"),
    "env/lib/odd_env.py": (2_700_007, "unpacked"),
}

# spark.redaction.regex hides its text.
REDACTED = "others.egg/others/mod.py"


@pytest.fixture(
    scope="session", params=[pytest.param("local[2]", marks=pytest.mark.full), LOCAL_CLUSTER], ids=["local", "cluster"]
)
def run(shared_run, request):
    conf = {"spark.redaction.regex": f"(?i)BLOCK = bytearray.{NAMES[REDACTED][0]}"}
    run = shared_run("names.py", master=request.param, conf=conf).demand_success()
    assert warnings_of(run) == []
    assert run.result() == TASKS * sum(size for size, _ in NAMES.values())
    return run


@pytest.mark.parametrize("name", NAMES)
def test_name_and_line(run, name):
    size, function = NAMES[name]
    lines = [line for stage in run.report()["stages"] for line in stage["lines"] if line["file"] == name]
    (line,) = [line for line in lines if line["allocatedBytes"] > BESIDE_BYTES]
    assert (line["line"], line["function"], line["tasks"]) == (3, function, TASKS)
    assert 0 <= line["allocatedBytes"] - TASKS * (size + 1) < BESIDE_BYTES


# Typed code has no file; what an executor has got is read there, whatever the driver has,
# but for what spark.redaction.regex hides.
@pytest.mark.parametrize("name", NAMES)
def test_source(run, name):
    size, function = NAMES[name]
    report = run.report()
    (line,) = [line for line in heavy_lines(report) if line["file"] == name]
    shown = "(redacted)" if name == REDACTED else f"block = bytearray({size})"
    assert line["source"] == (None if function == "typed" else shown)


def heavy_lines(report):
    lines = [line for stage in report["stages"] for line in stage["lines"]]
    return [line for line in lines if line["allocatedBytes"] > BESIDE_BYTES and line["file"] and line["udf"]]


@pytest.mark.one_line
@pytest.mark.parametrize("source", ["names", pytest.param("none", marks=pytest.mark.full)])
def test_source_is_withheld(spark_run, source):
    run = spark_run("names.py", conf={"spark.memprof.source": source}.items()).demand_success()
    report, page = run.report(), run.page()
    texts = [json.dumps(report), page, json.dumps(model_of(page))]
    assert all(line["source"] is None for line in heavy_lines(report))
    assert not [text for text in texts if "bytearray(" in text]
    withheld = ("single.py", "odd_env.py", '"unpacked"', "helpers.zip") if source == "none" else ()
    assert not [name for name in withheld for text in texts if name in text]
    # The same lines with the same bytes, whatever they are called.
    found = sorted(line["allocatedBytes"] for line in heavy_lines(report) if line["line"] == 3)
    for bytes_, (size, _) in zip(found, sorted(NAMES.values()), strict=True):
        assert 0 <= bytes_ - TASKS * (size + 1) < BESIDE_BYTES


@pytest.fixture
def own_script(spark_run, tmp_path):
    """Runs a copy of the script, which deletes itself; the row of its line in the report, and the copy's path."""

    def run(**options):
        script = tmp_path / "own_script.py"
        for name in (script.name, "read_scripts.py"):
            (tmp_path / name).write_text((JOBS / name).read_text())
        finished = spark_run(script, **options).demand_success()
        assert finished.result() == 2 * 3_800_009
        assert not script.exists()
        lines = [line for stage in finished.report()["stages"] for line in stage["lines"]]
        place = (str(script), line_of(script.name, "held"))
        (line,) = [line for line in lines if (line["file"], line["line"]) == place]
        return line

    return run


@pytest.mark.parametrize("by_python", [False, pytest.param(True, marks=pytest.mark.full)])
def test_the_drivers_own_script_is_read_there(own_script, by_python):
    """By spark-submit's command line; without one by the place that the program's first job names."""
    assert own_script(by_python=by_python)["source"] == "return len(bytearray(BLOCK_BYTES))  # held"


@pytest.mark.full
def test_the_drivers_own_script_is_withheld(own_script):
    assert own_script(conf={"spark.memprof.source": "names"}.items())["source"] is None


def test_no_temporary_folder_is_in_a_name(run):
    """Of the job's own code; its file's own folder is the user's."""
    stages = run.report()["stages"]
    files = {line["file"] or "" for stage in stages for line in stage["lines"]}
    files |= {line["udfFile"] or "" for stage in stages for line in stage["lines"]}
    assert {"single.py", "helpers.zip/helpers/mod.py"} <= files
    assert not [file for file in files if "userFiles-" in file or "ipykernel" in file or "/app-" in file]


def test_html_reads_them(run):
    assert model_of(run.page()) == run.report(), "the page is drawn from the same model"


def test_what_pyspark_does_by_itself_is_its_own(run):
    lines = [line for stage in run.report()["stages"] for line in stage["lines"] if line["sites"]]
    outside = [line for line in lines if line["udf"] is None]
    assert outside, "it reads each batch, and imports what it needs"
    assert all(line.get("ofPySpark") for line in outside)
    assert not any("ofPySpark" in line for line in lines if line["udf"])
