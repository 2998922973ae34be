"""worker.py under real pyspark, 3.5 and 4, in local mode: what the boxes hold after a job."""

import os
import pathlib
import subprocess
import sys

import processes
import pytest
from conftest import JOBS, line_of, on

SIZE = 419_430_007  # odd, and nobody else's
INTERVAL = 65_536  # of a worker's samples, bytes


@on("3_5")
def test_scratch_buffer_is_on_its_line(run_job, boxes):
    result, stderr = run_job("aggregate", SIZE)

    assert result == [sum(range(50_000)), sum(range(50_000, 100_000))]
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


SIZES = {
    1_999_993: ("of_rdd", "RDD"),
    2_999_993: ("of_rdd_then", "RDD"),
    3_999_993: ("keeps", "RDD"),
    4_999_993: ("Callable.__call__", "RDD"),
    5_999_993: ("inner", "BATCHED_UDF"),
    6_999_993: ("outer", "BATCHED_UDF"),
    7_999_993: ("raises", "MAP_PANDAS_ITER_UDF"),
    8_999_993: ("exits", "MAP_PANDAS_ITER_UDF"),
    9_999_993: ("forks", "MAP_PANDAS_ITER_UDF"),
    10_999_993: ("endless", "MAP_PANDAS_ITER_UDF"),
    11_999_993: ("Doubling.eval", "TABLE_UDF"),
    16_999_993: ("Doubling.__init__", "TABLE_UDF"),
    12_999_993: ("under_a_decorator", "MAP_PANDAS_ITER_UDF"),
}


def assert_holders_of(size, sites, function):
    """Each site holds blocks of this size alone, which are counted exactly.

    Beside them, now and then a small object of the same line is sampled, which stands for INTERVAL bytes.
    """
    assert sites, f"{function}: nobody holds multiples of {size}"
    for site in sites:
        blocks, beside = divmod(site["allocated"], size)
        assert blocks > 0, function
        assert beside == 0 or (site["sampled"] and INTERVAL <= beside < 4 * INTERVAL), function


@on("4")
def test_every_kind_of_function_is_named_and_its_bytes_stay_in_its_session(run_job, boxes):
    results, stderr = run_job("many_kinds")

    assert results == {
        "rdd": [10, 11, 12],
        "chain": [0, 1, 2],
        "raises": "PythonException",
        "exits": "PythonException",
        "forks": 3,
        "forks often": 3,
        "limit": 5,
        "udtf": [42],
        "closures": list(range(12)),
        "shared": [0, 1, 2],
        "many": [0] * 35,
        "decorated": 3,
    }
    ours = [line for line in stderr.splitlines() if "sparkmemprof" in line]
    assert ours == ["sparkmemprof: some processes are not profiled: a task started more than 16"]
    sessions = boxes.sessions()

    def taken_by(function):
        return [
            (session, site)
            for session in sessions
            for site in session["sites"]
            if [frame["function"] for frame in site["frames"] if frame["language"] == "python"][-2:]
            == [function, "take"]
        ]

    for size, (function, kind) in SIZES.items():
        holders = taken_by(function)
        assert_holders_of(size, [site for _, site in holders], function)
        assert len({session["task_attempt_id"] for session, _ in holders}) == 1, function
        for session, site in holders:
            udfs = {udf["name"]: udf for udf in session["udfs"]}
            assert udfs[function]["kind"] == kind
            assert pathlib.Path(udfs[function]["file"]).name == "many_kinds.py"
            frames = [frame for frame in site["frames"] if frame["language"] == "python"]
            assert frames[-2]["first_line"] == udfs[function]["line"], "a frame finds its function"
    chain = next(session for session in sessions if any(udf["name"] == "outer" for udf in session["udfs"]))
    assert [udf["name"] for udf in chain["udfs"]] == ["inner", "outer"], "in the order in which they are applied"
    rdd = next(session for session in sessions if any(udf["kind"] == "RDD" for udf in session["udfs"]))
    assert [udf["name"] for udf in rdd["udfs"]] == ["of_rdd", "of_rdd_then", "keeps", "Callable.__call__"]
    closures = next(session for session in sessions if any(udf["name"] == "price_0" for udf in session["udfs"]))
    assert [udf["name"] for udf in closures["udfs"]] == [f"price_{number}" for number in range(12)], (
        "as in Spark's plan"
    )
    assert len({(udf["file"], udf["line"]) for udf in closures["udfs"]}) == 1
    assert "droppedUdfs" not in closures["counters"]
    for number in range(12):  # each has sizes of its own
        function = f"price_{number}"
        assert_holders_of(14_999_993 + 2 * number, [site for _, site in taken_by(function)], function)
    ((together, site),) = {id(session): (session, site) for session, site in taken_by("share, share_1")}.values()
    assert [udf["name"] for udf in together["udfs"]] == ["shared.<locals>.share", "share_1"]
    assert_holders_of(15_999_993, [site], "share")
    many = next(session for session in sessions if any(udf["name"] == "many_0" for udf in session["udfs"]))
    assert [udf["name"] for udf in many["udfs"]] == [f"many_{number}" for number in range(32)]
    assert many["counters"]["droppedUdfs"] == 3
    # All are closed but those of killed workers (the limit) and of children that exit without a word (the fork).
    still_open = {udf["name"] for session in sessions if not session["closed"] for udf in session["udfs"]}
    assert still_open <= {"endless", "forks", "forks_often"}
    forked = [session for session, site in taken_by("forks_often") if site["allocated"] >= 13_999_993]
    assert len(forked) == 16, "each process that a task forks is profiled, up to a bound"


def hooks_of(package, python):
    """The native module that this Python loads."""
    told = subprocess.run(
        [python, "-c", "import sys; print('%d%d' % sys.version_info[:2])"], capture_output=True, text=True, check=True
    )
    (path,) = package.glob(f"sparkmemprof/_hooks.cpython-{told.stdout.strip()}-*")
    return path


def without_config(package, _python):
    (package / "sparkmemprof" / "config.json").unlink()
    return "config.json"


def with_half_a_config(package, _python):
    (package / "sparkmemprof" / "config.json").write_text('{"applicationId": "a", "executorId": 7}')
    return "executorId is 7 instead of str"


def without_hooks(package, python):
    hooks_of(package, python).unlink()
    tags = [path.name.split("-")[1] for path in package.glob("sparkmemprof/_hooks.cpython-3*")]
    return "CPython " + ", ".join(f"3.{minor}" for minor in sorted(int(tag[1:]) for tag in tags))


def with_broken_hooks(package, python):
    path = hooks_of(package, python)
    path.unlink()
    path.write_bytes(b"not a library")
    return "the native module cannot be loaded"


@pytest.mark.parametrize("damage", [without_config, with_half_a_config, without_hooks, with_broken_hooks])
def test_a_piece_that_is_missing_leaves_pyspark_alone(damage, run_scene, package, pyspark_python):
    text = damage(package, pyspark_python)

    scene = run_scene("daemon_without", python=pyspark_python, stderr_lines=1)

    assert scene["plain"]
    assert scene["stderr"][0].startswith("sparkmemprof: Python workers are not profiled: ")
    if damage is not without_hooks or list(package.glob("sparkmemprof/_hooks.*")):
        assert text in scene["stderr"][0]


def test_what_fails_in_workers_is_said_once(run_scene, boxes, pyspark_python):
    boxes.directory.rmdir()

    scene = run_scene("daemon_without", python=pyspark_python, arguments=["in workers"], stderr_lines=1)

    assert str(boxes.directory) in scene["stderr"][0]


def test_a_warning_survives_a_closed_stderr(package):
    """What the user's code does to stderr must not turn our warning into the task's exception."""
    script = (
        "import sys, types; sys.stderr.close(); from sparkmemprof.worker import profile_workers_of; "
        "profile_workers_of(types.ModuleType('daemon')); print('unharmed')"
    )
    python = os.environ.get("MEMPROF_PYTHON_4", sys.executable)
    finished = processes.run([python, "-c", script], 60, env={**os.environ, "PYTHONPATH": str(package)})
    assert finished.stdout == "unharmed\n"
