"""Executors that run out of heap, and one that lives on: who asked, what the heap was full of, and what helps."""

import re

import pytest
from java_jobs import jars_with

pytestmark = pytest.mark.alone  # beside others an executor may be gone before its last word has left

HELD_BYTES = 600_000_003  # more than an executor of 512 MB has, and less than one of twice that
SMALL_BYTES = 80 * 100_003
MASTER = "local-cluster[2,1,1024]"
CONF = {"spark.executor.memory": "512m"}
EXITS = {"spark.executor.extraJavaOptions": "-XX:+ExitOnOutOfMemoryError"}


@pytest.fixture(scope="session")
def hog(spark, jar, tmp_path_factory):
    """The jars of a job with jobs/HeapErrors.java."""
    return jars_with("HeapErrors", spark, jar, tmp_path_factory.mktemp("hog"))


def held_in_all(bytes_):
    pieces = -(-bytes_ // 100_003)
    return 4 * SMALL_BYTES + pieces * 100_003


def demand_asked(death):
    """Who asked, and where what was retained was made."""
    functions = [frame["function"] for frame in death["stack"]]
    assert "HeapErrors.piece" in functions
    assert re.search(
        r"task \d+ \(stage \d+\) asked for more in HeapErrors.piece HeapErrors.java:\d+", death["headline"]
    )
    sites = [row for row in death["retained"]["sites"] if row["frames"]]  # of one sampled by chance the JVM knew none
    pieces = [row for row in sites if row["frames"][-1]["function"] == "HeapErrors.piece"]
    site = max(pieces, key=lambda row: row["retainedBytes"])  # a small task on the other core may keep some, too
    assert 300_000_000 < site["retainedBytes"] < 540_000_000
    assert site["stageId"] == death["stageId"]


def demand_heap(death):
    """And of what the heap was full."""
    demand_asked(death)
    heap = death["heap"]
    largest = heap["classes"][0]
    assert largest["name"] == "byte[]"
    assert 300_000_000 < largest["bytes"] <= heap["totalBytes"] < 540_000_000
    assert largest["objects"] > 3000
    assert sum(row["bytes"] for row in heap["classes"]) + heap["otherBytes"] == heap["totalBytes"]
    regions = {row["name"]: row["bytes"] for row in heap["regions"]}
    assert 480 << 20 <= regions["heap.max"] <= 512 << 20
    assert 0 < regions["heap.usedAfterGc"] <= regions["heap.max"]
    assert {"heap.storage", "heap.execution"} <= set(regions)


def demand_advice(death):
    memory = [piece for piece in death["advice"] if piece["conf"] == "spark.executor.memory"]
    assert len(memory) == 1, death["advice"]
    (skew,) = [piece for piece in death["advice"] if piece["conf"] is None]
    assert re.search(r"task \d+ allocated .* the median of .* of \d finished tasks of its stage", skew["because"])
    return memory[0]["to"]


def told(run):
    texts = [part.split("\n\n")[0] for part in run.stderr.split("sparkmemprof: post-mortem\n")[1:]]
    assert all(len(text.splitlines()) <= 30 for text in texts)
    return texts


@pytest.fixture(scope="module")
def failing(shared_run, hog):
    """Two jobs: in the first a task catches its error, the second ends its executors."""
    return shared_run("heap_errors.py", "caught,ends", HELD_BYTES, master=MASTER, jar=hog, conf=CONF).demand_success()


@pytest.mark.one_line("3.5")  # Spark 4 takes half a minute to end an executor
def test_caught_and_then_the_end(failing):
    run = failing
    assert run.result() == [5 * SMALL_BYTES] * 2
    caught, death = run.report()["postMortems"]
    for each in (caught, death):
        heaviest = next(row for row in each["sites"] if row["origin"] == "jvm-heap")
        assert heaviest["frames"][-1]["function"] == "HeapErrors.piece"
        assert heaviest["allocatedBytes"] > 300_000_000

    assert (caught["process"], caught["exitCode"], caught["survived"], caught["outOfMemory"]) == (
        "jvm",
        None,
        True,
        True,
    )
    assert "lived on, which is no death" in caught["headline"]
    assert caught["headline"].endswith("the task failed")
    assert "the book is closed" in caught["reason"]
    demand_heap(caught)

    assert (death["process"], death["exitCode"], death["survived"], death["outOfMemory"]) == ("jvm", 52, False, True)
    assert "its JVM's last word was an OutOfMemoryError: Java heap space" in death["how"]
    demand_asked(death)  # on one executor, another look at its heap comes after 15 s only
    first, _ = told(run)
    assert "no death" in first
    assert "The heap by class" in first
    demand_advice(death)


@pytest.mark.full
@pytest.mark.one_line("3.5")
def test_the_setting_that_helps(failing, spark_run, hog):
    _, death = failing.report()["postMortems"]
    conf = {"spark.executor.memory": demand_advice(death)}
    passed = spark_run("heap_errors.py", "ends", HELD_BYTES, master=MASTER, jar=hog, conf=conf).demand_success()
    assert passed.result() == [held_in_all(HELD_BYTES)]
    assert passed.report()["postMortems"] == []


@pytest.mark.full
@pytest.mark.one_line("3.5")
def test_caching_elsewhere_helps(spark_run, hog):
    """Half a minute: each of two jobs caches 384 MB, and then a task fills what is left of the heap, or not."""
    wanted = 650_000_003  # the heap has room for it alone, but not beside what is cached

    def run(level):
        conf = {"spark.executor.memory": "1g"}
        master = "local-cluster[1,1,1536]"
        return spark_run("heap_errors.py", "ends", wanted, level, master=master, jar=hog, conf=conf).demand_success()

    death = next(each for each in run("MEMORY_ONLY").report()["postMortems"] if not each["survived"])
    assert (death["process"], death["outOfMemory"]) == ("jvm", True)
    (advice,) = [each for each in death["advice"] if "persist it with DISK_ONLY" in each["because"]]
    assert advice["conf"] is None
    passed = run("DISK_ONLY")
    assert passed.result() == [held_in_all(wanted)]
    assert passed.report()["postMortems"] == []


@pytest.mark.full
@pytest.mark.one_line("3.5")
@pytest.mark.parametrize("ends", [{}, EXITS], ids=["by Spark", "by itself"])
def test_an_operator_that_asked(spark_run, ends):
    conf = CONF | {"spark.task.maxFailures": 1} | ends
    run = spark_run("heap_errors.py", "collects", HELD_BYTES, master=MASTER, conf=conf).demand_success()
    (death,) = run.report()["postMortems"]
    assert (death["process"], death["outOfMemory"], death["survived"]) == ("jvm", True, False)
    # The projection makes each text, and the aggregation copies it: either may be the first that finds no room.
    asked = rf"task 0 \(stage {death['stageId']}\) asked for more in "
    assert re.search(asked + ".*, for (ObjectHashAggregateExec|whole-stage codegen 1), ", death["headline"])
    largest = death["retained"]["sites"][0]
    assert 300_000_000 < largest["retainedBytes"] < 540_000_000
    assert largest["stageId"] == death["stageId"]
    functions = [frame["function"] for frame in largest["frames"]]
    assert "org.apache.spark.sql.catalyst.expressions.aggregate.CollectList.convertToBufferElement" in functions


@pytest.mark.full
def test_the_jvms_own_exit_on_an_error(spark_run, hog):
    run = spark_run("heap_errors.py", "ends", HELD_BYTES, master=MASTER, jar=hog, conf=CONF | EXITS).demand_success()
    assert run.result() == [5 * SMALL_BYTES]
    (death,) = run.report()["postMortems"]
    assert (death["process"], death["survived"], death["outOfMemory"]) == ("jvm", False, True)
    # The JVM ends at the first error; a thread that meets another one meanwhile may reach Spark's handler before that.
    assert death["exitCode"] in (3, 52)
    assert "its JVM's last word was an OutOfMemoryError" in death["how"]
    demand_heap(death)
    demand_advice(death)
    assert len(told(run)) == 1
    assert not [log for log in run.executor_logs().values() if "A fatal error has been detected" in log]


@pytest.mark.full
@pytest.mark.one_line("3.5")
def test_a_jvm_that_kills_itself_on_an_error_was_not_killed_from_outside(spark_run, hog):
    kills = {"spark.executor.extraJavaOptions": "-XX:OnOutOfMemoryError='kill -9 %p'"}
    run = spark_run("heap_errors.py", "ends", HELD_BYTES, master=MASTER, jar=hog, conf=CONF | kills).demand_success()
    (death,) = run.report()["postMortems"]
    assert (death["process"], death["exitCode"], death["survived"]) == ("jvm", 137, False)
    # HotSpot kills at the first error. A thread that meets one at the same moment may tell of it.
    assert death["unknown"] is not death["outOfMemory"], death["how"]
    if death["unknown"]:
        assert "kill itself so on an OutOfMemoryError (OnOutOfMemoryError), and at most " in death["how"]
    else:
        assert "last word was an OutOfMemoryError: Java heap space; it is told to kill itself" in death["how"]
    assert [path for path, log in run.executor_logs().items() if "# java.lang.OutOfMemoryError" in log]


@pytest.mark.full
@pytest.mark.one_line("3.5")
def test_a_jvm_that_ends_itself_by_sigterm(spark_run, hog):
    """YARN's default. The task catches its error: otherwise Spark's handler may be faster, with a code of its own."""
    ends = {"spark.executor.extraJavaOptions": "-XX:OnOutOfMemoryError='kill %p'"}
    run = spark_run("heap_errors.py", "terminated", HELD_BYTES, master=MASTER, jar=hog, conf=CONF | ends)
    (death,) = run.demand_success().report()["postMortems"]
    assert (death["process"], death["exitCode"], death["survived"], death["outOfMemory"]) == ("jvm", 143, False, True)
    assert "its JVM's last word was an OutOfMemoryError: Java heap space" in death["how"]
    demand_asked(death)
    demand_advice(death)
