"""The README's scripts, run as a user runs them."""

import json
import os
import pathlib
import re

import processes
import pytest
from conftest import model_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINES = ["3.5", "4"]
PATIENCE = f"--conf spark.memprof.patience={processes.PROFILERS_PATIENCE}"


def run(*command, **options):
    return processes.run(command, 500, **options)


@pytest.mark.parametrize("line", [pytest.param("3.5", marks=pytest.mark.full), "4"])
def test_demo_ends_with_the_path_of_its_report(line, tmp_path, quick_options):
    environment = {**os.environ, "MEMPROF_DEMO_PATIENCE": processes.PROFILERS_PATIENCE}
    if line == "4":  # it is for the landing tier, whose every second counts
        environment["JDK_JAVA_OPTIONS"] = quick_options(line)
    finished = run(ROOT / "integration/demo.sh", "--spark", line, cwd=tmp_path, env=environment)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    html = pathlib.Path(finished.stdout.splitlines()[-1])
    assert html.is_absolute()
    text = html.read_text()
    assert "averages.py" in {line["file"] for stage in model_of(text)["stages"] for line in stage["lines"]}
    assert not re.search(r"""(src|href)=["']https?:""", text), "the file must not need a network"
    assert list(tmp_path.iterdir()) == [], "the demo writes into the build folder alone"


@pytest.mark.parametrize("line", LINES)
def test_with_spark_runs_that_spark(line):
    finished = run(
        ROOT / "integration/with-spark.sh", line, "python", "-c", "import pyspark; print(pyspark.__version__)"
    )
    assert finished.returncode == 0, finished.stderr
    assert re.fullmatch(re.escape(line) + r"\..*\n", finished.stdout), "stdout belongs to the command alone"


def test_with_spark_keeps_directory_environment_and_status(tmp_path):
    script = 'echo "$PWD|$MEMPROF_TEST_VALUE|$#|$2"; exit 37'
    finished = run(
        ROOT / "integration/with-spark.sh", "4", "bash", "-c", script, "name", "one", "two words", cwd=tmp_path,
        env={**os.environ, "MEMPROF_TEST_VALUE": "a  b"},
    )  # fmt: skip
    assert finished.returncode == 37
    assert finished.stdout == f"{tmp_path}|a  b|2|two words\n"


def test_with_spark_has_sparkmemprof_on_path():
    finished = run(ROOT / "integration/with-spark.sh", "3.5", "sparkmemprof", "--version")
    assert finished.returncode == 0, finished.stderr
    assert "0.1.0" in finished.stdout


@pytest.mark.parametrize("arguments", [[], ["2.4", "true"], ["4"]])
def test_with_spark_refuses_what_it_cannot_run(arguments):
    finished = run(ROOT / "integration/with-spark.sh", *arguments)
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert finished.stderr


def demand_report(finished, folder):
    assert finished.returncode == 0, finished.stdout + finished.stderr
    (report,) = folder.glob("*/report.json")
    stages = json.loads(report.read_text())["stages"]
    origins = {site["origin"] for stage in stages for site in stage["sites"]}
    assert {"python", "jvm-heap"} <= origins


@pytest.mark.parametrize("line", [pytest.param("3.5", marks=pytest.mark.full), "4"])
def test_conf_is_good_for_spark_submit(line, tmp_path, quick_options):
    command = (
        f"spark-submit --master 'local[2]' $(sparkmemprof conf --master 'local[2]') {PATIENCE} "
        "--conf spark.ui.enabled=false "
        f"--conf spark.memprof.report.dir={tmp_path}/reports {ROOT}/integration/tests/jobs/blocks.py"
    )
    environment = {**os.environ, "JDK_JAVA_OPTIONS": quick_options(line)}
    finished = run(ROOT / "integration/with-spark.sh", line, "bash", "-c", command, cwd=tmp_path, env=environment)
    demand_report(finished, tmp_path / "reports")


@pytest.mark.full
@pytest.mark.parametrize("line", LINES)
def test_conf_is_good_for_spark_defaults(line, tmp_path):
    """As its --help says: each pair on a line of its own, on a cluster of separate executors."""
    command = (
        "sparkmemprof conf | sed 's/--conf /\\n/g' > conf/spark-defaults.conf && "
        "SPARK_CONF_DIR=$PWD/conf spark-submit --master 'local-cluster[1,2,1024]' --conf spark.ui.enabled=false "
        f"{PATIENCE} --conf spark.memprof.report.dir={tmp_path}/reports {ROOT}/integration/tests/jobs/blocks.py"
    )
    (tmp_path / "conf").mkdir()
    finished = run(ROOT / "integration/with-spark.sh", line, "bash", "-c", command, cwd=tmp_path)
    demand_report(finished, tmp_path / "reports")


@pytest.mark.parametrize("arguments", [["--spark", "2.4"], ["--spark"], ["--nonsense"]])
def test_demo_refuses_bad_arguments(arguments):
    finished = run(ROOT / "integration/demo.sh", *arguments)
    assert finished.returncode == 2
    assert "error:" in finished.stderr
