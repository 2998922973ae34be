"""worker.py under real pyspark, 3.5 and 4, in local mode: what the boxes hold after a job."""

import json
import os
import pathlib
import subprocess

import pytest
from conftest import NATIVE

JOBS = pathlib.Path(__file__).with_name("spark_jobs")
SIZE = 419_430_007  # odd, and nobody else's


@pytest.fixture(params=["3_5", "4"])
def pyspark_python(request):
    python = os.environ.get(f"MEMPROF_PYTHON_{request.param}")
    if not python:
        pytest.skip(f"MEMPROF_PYTHON_{request.param} names no Python with pyspark; tests/run.sh sets it")
    return python


@pytest.fixture
def run_job(pyspark_python, package, tmp_path):
    """Runs a job of spark_jobs with the package on PYTHONPATH; returns (last line of stdout as JSON, stderr)."""

    def run(name, *arguments, daemon_module="sparkmemprof.daemon"):
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(package), str(JOBS)]),
            "PYSPARK_PYTHON": pyspark_python,
            "TEST_LIBRARY": str(NATIVE / "libexact_alloc.so"),
            "TEST_DAEMON_MODULE": daemon_module or "",
            "SPARK_LOCAL_IP": "127.0.0.1",
        }
        finished = subprocess.run(
            [pyspark_python, str(JOBS / f"{name}.py"), *map(str, arguments)],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert finished.returncode == 0, finished.stdout + finished.stderr
        return json.loads(finished.stdout.splitlines()[-1]), finished.stderr

    return run


def line_of(path, text):
    return next(number for number, line in enumerate(path.read_text().splitlines(), 1) if text in line)


def test_scratch_buffer_is_on_its_line(run_job, boxes):
    result, stderr = run_job("aggregate", SIZE)

    plain, _ = run_job("aggregate", SIZE, daemon_module=None)
    assert result == plain
    assert "sparkmemprof" not in stderr
    sessions = boxes.sessions()
    assert len({session["task_attempt_id"] for session in sessions}) == 2
    for session in sessions:
        assert session["closed"]
        assert session["checksum_ok"]
        assert [udf["name"] for udf in session["udfs"]] == ["aggregate"]
        udf = session["udfs"][0]
        assert (udf["kind"], pathlib.Path(udf["file"]).name) == ("MAP_PANDAS_ITER_UDF", "aggregate.py")
        assert udf["line"] == line_of(JOBS / "aggregate.py", "def aggregate")
        site, *others = sorted(session["sites"], key=lambda site: -site["live_at_peak"])
        assert all(other["live_at_peak"] < SIZE // 10 for other in others)  # Spark 4 imports pandas within the task
        assert (site["live_at_peak"], site["live"], site["allocated"], site["allocations"]) == (SIZE, 0, SIZE, 1)
        assert not site["sampled"]
        assert site["resident_at_peak"] >= 0.99 * SIZE
        python = [frame for frame in site["frames"] if frame["language"] == "python"]
        native = site["frames"][len(python) :]
        assert pathlib.Path(python[-1]["file"]).name == "helper.py"
        assert python[-1]["function"] == "with_scratch"
        assert python[-1]["line"] == line_of(JOBS / "helper.py", "# the line")
        assert [frame["function"] for frame in python if frame["file"] == udf["file"]] == ["aggregate"]
        assert native
        assert pathlib.Path(native[-1]["module"]).name == "libexact_alloc.so"
        assert native[-1]["offset"] > 0
        assert native[-1]["build_id"]
