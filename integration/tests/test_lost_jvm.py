"""A driver's JVM that dies under the Python which started it (a notebook, `python job.py`): that Python tells of it.

The kill for memory is the kernel's own, in a memory cgroup that the test makes; skipped with the reason where it can't.
"""

import memory_cgroups
import pytest
from conftest import AGENT_PATH
from memory_cgroups import entering, kernel_kills

pytestmark = pytest.mark.one_line

JOB = "lost_jvm.py"
LIMIT_BYTES = 1_300_000_768  # whole pages


@pytest.fixture
def python_run(spark_run, package):
    def run(way, java_options="", environment=(), **options):
        conf = {"spark.driver.memory": "512m"}
        conf |= {"spark.driver.extraJavaOptions": f"{AGENT_PATH} {java_options}", "spark.driver.maxResultSize": "0"}
        environment = [("PYTHONPATH", package), *environment]
        return spark_run(JOB, way, conf=conf, environment=environment, by_python=True, **options).demand_success()

    return run


def demand_told_once(run):
    """The one death, which the first failed call names."""
    (death,) = run.report()["postMortems"]
    assert (death["executorId"], death["process"]) == ("driver", "jvm")
    first, next_one = run.result()
    (note,) = first["notes"]
    assert next_one["notes"] == [note], "whoever doesn't see the first sees the next"
    headline, place = note.splitlines()
    assert headline == f"sparkmemprof: {death['headline']}"
    assert place == f"Its post-mortem: {next(run.reports.glob('*/report.json')).parent}"
    assert "sparkmemprof" not in first["text"], "the exception keeps its text"
    assert run.stderr.count("sparkmemprof: post-mortem of the driver") == 1
    return death


def test_somebody_kills_it(python_run):
    run = python_run("killed")
    death = demand_told_once(run)
    assert (death["exitCode"], death["outOfMemory"]) == (137, False)
    assert "not of memory" in death["headline"]
    assert run.report()["unfinished"] is True


@pytest.mark.full
def test_the_kernel_kills_it_for_its_memory(python_run):
    with memory_cgroups.container(LIMIT_BYTES) as container:
        # The program's own Python is in it, too: should the kernel take that, the scene has failed.
        run = python_run("filled", "-XX:MaxDirectMemorySize=8g", prefix=entering(container))
        assert kernel_kills(container) == 1
    death = demand_told_once(run)
    assert (death["exitCode"], death["outOfMemory"]) == (137, True)
    assert (
        "oom_kill counter of its cgroup rose by 1, as the driver's Python process, which had started it,"
        in death["how"]
    )
    assert death["limitBytes"] == LIMIT_BYTES


@pytest.mark.full
def test_it_ends_itself_of_a_full_heap(python_run):
    death = demand_told_once(python_run("heap", "-XX:+ExitOnOutOfMemoryError", master="local-cluster[1,1,1024]"))
    assert (death["exitCode"], death["outOfMemory"]) == (3, True)
    assert death["headline"].startswith("The driver ran out of heap: ")


@pytest.mark.full
def test_an_end_in_order_is_no_death(python_run, tmp_path):
    run = python_run("in-order", environment={"TMPDIR": str(tmp_path)}.items())
    assert run.result() == [7, []]
    assert run.report()["postMortems"] == []
    assert run.report()["unfinished"] is False
    assert "post-mortem" not in run.stderr
    assert not list(tmp_path.glob("sparkmemprof-driver-*")), "its folder is gone"
