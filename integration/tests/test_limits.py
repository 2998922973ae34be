"""@pytest.mark.limit_spark_memory in the tests of a user's project, with the wheel installed."""

import os
import pathlib
import re
import xml.etree.ElementTree

import processes
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

FIXTURE = f"""
import pytest
from pyspark.sql import SparkSession

@pytest.fixture(scope="session")
def spark():
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.memprof.patience", {processes.PROFILERS_PATIENCE!r})
    session = builder.config("spark.plugins", "").getOrCreate()
    session.sparkContext.parallelize([60_000_011], 1).map(lambda size: len(bytearray(size))).sum()  # no test's
    yield session
    session.stop()
"""

TESTS = """
def held(spark, size):
    return spark.sparkContext.parallelize([size], 1).map(lambda size: len(bytearray(size))).sum()

def held_natively(spark, size):
    def filled(size):
        import numpy
        return numpy.full(size, 7, dtype="uint8").nbytes
    return spark.sparkContext.parallelize([size], 1).map(filled).sum()

@pytest.mark.limit_spark_memory("40 MB")
def test_below(spark):
    assert held(spark, 30_000_007) == 30_000_007

@pytest.mark.limit_spark_memory("40 MB")
def test_above(spark):
    assert held(spark, 50_000_021) == 50_000_021

@pytest.mark.limit_spark_memory("40 MB")
def test_below_after_one_above(spark):
    assert held(spark, 30_000_007) == 30_000_007

@pytest.mark.limit_spark_memory("40 MB")
def test_above_in_native_code(spark):
    assert held_natively(spark, 49_975_013) == 49_975_013

@pytest.mark.limit_spark_memory("40 MB")
def test_that_fails_by_itself(spark):
    assert held(spark, 50_000_021) == 0

@pytest.mark.limit_spark_memory("40 MB")
def test_without_tasks(spark):
    pass

@pytest.mark.limit_spark_memory("forty")
def test_of_no_size(spark):
    pass

def test_without_a_mark(spark):
    assert held(spark, 90_000_001) == 90_000_001

def test_settings_of_the_environment_stay(spark):
    assert spark._jvm.System.getProperty("ours.kept") == "7"
"""


@pytest.fixture
def run_tests(line, tmp_path, quick_options):
    def run(text, defaults=""):
        """The outcomes of a file's tests by their names: "" passed, else why not; and what pytest printed.

        `defaults`: the user's spark-defaults.conf; "": there is none.
        """
        (tmp_path / "test_users.py").write_text(text)
        command = [ROOT / "integration/with-spark.sh", line, "python", "-m", "pytest", "-p", "no:cacheprovider"]
        options = ["--strict-markers", "--junitxml=results.xml", "-q", "test_users.py"]
        environment = {**os.environ, "TMPDIR": str(tmp_path), "JDK_JAVA_OPTIONS": quick_options(line)}
        if defaults:
            (tmp_path / "conf").mkdir()
            (tmp_path / "conf/spark-defaults.conf").write_text(defaults)
            environment["SPARK_CONF_DIR"] = str(tmp_path / "conf")
        finished = processes.run([*command, *options], 300, cwd=tmp_path, env=environment)
        assert (tmp_path / "results.xml").exists(), finished.stdout + finished.stderr
        results = {}
        for case in xml.etree.ElementTree.parse(tmp_path / "results.xml").iter("testcase"):
            results[case.get("name")] = "".join(f"{each.get('message')}\n{each.text}" for each in case)
        return results, finished.stdout

    return run


def demand_line(problem, source, most_mib):
    """A task held more than the limit, and the line that begins so held 47.7 MiB of that."""
    held = r"but task \d+ \(stage \d+, partition 0\) held (\d+\.\d) MiB in its Python worker"
    found = re.search(rf"limit_spark_memory: at most 40\.0 MiB, {held}", problem)
    assert found, problem
    assert 47.7 <= float(found[1]) < most_mib, "a worker's first task also holds what it imports"
    row = re.search(r"^ +47\.7 MiB  test_users\.py:(\d+)  (.*)$", problem, re.MULTILINE)
    assert row, problem
    assert (FIXTURE + TESTS).splitlines()[int(row[1]) - 1].strip().startswith(source)
    assert row[2].startswith(source[:60])


@pytest.mark.one_line("4")
def test_only_a_test_whose_task_held_more_fails(run_tests):
    results, printed = run_tests(FIXTURE + TESTS, "spark.driver.extraJavaOptions -Dours.kept=7\n")
    passed = {name for name, problem in results.items() if not problem}
    fine = {"test_below", "test_below_after_one_above", "test_without_a_mark", "test_settings_of_the_environment_stay"}
    assert passed == fine, printed
    of_python = "return spark.sparkContext.parallelize([size], 1).map(lambda size: len(bytearray(size)))"
    demand_line(results["test_above"], of_python, 65)
    demand_line(results["test_above_in_native_code"], 'return numpy.full(size, 7, dtype="uint8").nbytes', 100)
    assert "assert 50000021 == 0" in results["test_that_fails_by_itself"]
    assert "limit_spark_memory" not in results["test_that_fails_by_itself"].split("\n")[0]
    assert "limit_spark_memory: the test ran no Spark task" in results["test_without_tasks"]
    assert (
        """limit_spark_memory: want one size, such as "64 MB" or "1.5 GiB", not ('forty',)"""
        in results["test_of_no_size"]
    )


LATER = """
def test_it_is_stopped(spark):
    spark.stop()

@pytest.mark.limit_spark_memory("40 MB")
def test_later():
    later = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    assert held(later, 30_000_007) == 30_000_007
"""


@pytest.mark.one_line("4")
def test_an_application_from_before_is_named(run_tests):
    """One that the module makes while pytest collects. Its JVM can't have the jar: the next one there is left alone."""
    results, printed = run_tests(FIXTURE + "SparkSession.builder.master('local[1]').getOrCreate()\n" + TESTS + LATER)
    for name in ("test_below", "test_later"):
        assert "the running application is not profiled" in results[name], printed
        assert "create it in a fixture" in results[name]
    assert not results["test_without_a_mark"]
    assert not results["test_it_is_stopped"]


@pytest.mark.full
@pytest.mark.one_line("4")
def test_a_marked_test_does_not_pass_unprofiled(run_tests):
    without_daemon = FIXTURE.replace('.config("spark.plugins", "")', '.config("spark.python.use.daemon", "false")')
    results, printed = run_tests(without_daemon + TESTS)
    for name in ("test_below", "test_above"):
        assert "Python workers are not profiled: spark.python.use.daemon is false" in results[name], printed
    assert not results["test_without_a_mark"]


@pytest.mark.full
@pytest.mark.one_line("4")
def test_a_run_without_marks_has_no_profiler(run_tests):
    """The mark is known, and nothing else is done."""
    conf = "spark.sparkContext.getConf().toDebugString()"
    text = FIXTURE + f"def test_plain(spark):\n    assert 'sparkmemprof' not in {conf}.replace('spark.memprof', '')\n"
    results, printed = run_tests(text)
    assert results == {"test_plain": ""}, printed


@pytest.mark.one_line("4")
def test_the_mark_is_told(line, tmp_path):
    command = [ROOT / "integration/with-spark.sh", line, "python", "-m", "pytest", "--markers"]
    assert "@pytest.mark.limit_spark_memory(most): " in processes.run(command, 100, cwd=tmp_path).stdout
