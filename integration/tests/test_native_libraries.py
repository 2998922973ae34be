"""Native code in the JVM: a JNI library of the user's, one that Spark compresses with, and a whole engine in Rust."""

import pathlib
import subprocess

import processes
import pytest
from conftest import BUILD, LOCAL_CLUSTER, PLUGIN
from java_jobs import jars_with

HOG = BUILD / "tests/jvm/libnative_hog.so"
KEPT_BYTES, GIVEN_BACK_BYTES = 50_331_653, 33_554_467
COMET = "org.apache.datafusion:comet-spark-spark3.5_2.12:0.9.0"
KEYS = 1_500_007
ZSTD = "com.github.luben.zstd"
LEVEL, PARQUETS_LEVEL = 9, 3
# Of input whose size isn't known: ZSTD_getCParams. The whole stream has 17.6 and 3.7 MB, says ZSTD_estimateCStreamSize.
WINDOWS = {LEVEL: 1 << 22, PARQUETS_LEVEL: 1 << 21}


def native_sites(stage):
    return [site for site in stage["sites"] if site["origin"] == "jvm-native"]


def functions(site, language):
    return [frame["function"] for frame in site["frames"] if frame["language"] == language]


@pytest.mark.parametrize("master", ["local[2]", pytest.param(LOCAL_CLUSTER, marks=pytest.mark.full)])
@pytest.mark.one_line("4")
def test_a_jni_library_of_the_users(spark, spark_run, jar, tmp_path, master):
    jars = jars_with("NativeHog", spark, jar, tmp_path)
    run = spark_run("native_libraries.py", HOG, master=master, jar=jars).demand_success()
    assert run.result() == 2
    (stage,) = run.report()["stages"]
    held = {site["liveAtPeakBytes"]: site for site in native_sites(stage) if "hog_keep" in functions(site, "native")}
    assert set(held) == {KEPT_BYTES, 0}
    kept = held[KEPT_BYTES]
    assert (kept["allocatedBytes"], kept["liveAtEndBytes"], kept["sampled"]) == (KEPT_BYTES, KEPT_BYTES, False)
    assert held[0]["allocatedBytes"] == GIVEN_BACK_BYTES
    assert functions(kept, "java")[-2:] == ["NativeHog.task", "NativeHog.keep"]
    assert functions(kept, "native") == ["Java_NativeHog_keep", "hog_keep"]
    assert "hog_keep" in run.page()


def compressing(stage, operator):
    """Of a stage's blocks that zstd took for compressing in this part of Spark: (bytes of each, their number)."""
    streams = [
        site
        for site in native_sites(stage)
        if (site.get("operator"), functions(site, "java")[-1:])
        == (operator, [f"{ZSTD}.ZstdOutputStreamNoFinalizer.compressStream"])
    ]
    for site in streams:
        assert any(
            "libzstd-jni" in (frame["module"] or "") for frame in site["frames"] if frame["language"] == "native"
        )
        assert site["sampled"] is False, "larger than four intervals"
        assert not site["liveAtEndBytes"], "its streams were closed"
    sizes = {site["allocatedBytes"] / site["allocations"] for site in streams}
    assert len(sizes) == 1, streams
    return sizes.pop(), sum(site["allocations"] for site in streams)


@pytest.mark.one_line
def test_a_library_that_spark_compresses_with(spark_run, tmp_path):
    """zstd takes each stream's window, tables and buffers as one block, while it holds a Java array."""
    conf = {"spark.io.compression.codec": "zstd", "spark.io.compression.zstd.level": str(LEVEL)}
    run = spark_run("compressors.py", tmp_path / "rows", conf=conf).demand_success()
    assert run.result() == [20_000, sum(range(20_000))]
    stages = {stage["stageId"]: stage for stage in run.report()["stages"]}
    size, streams = compressing(stages[0], "shuffle write")
    assert streams == 4, "each of two tasks writes for two"
    assert WINDOWS[LEVEL] < size < 6 * WINDOWS[LEVEL]
    size, streams = compressing(stages[1], "parquet writer")
    assert streams >= 4, "each of two tasks writes two columns"
    assert WINDOWS[PARQUETS_LEVEL] < size < 3 * WINDOWS[PARQUETS_LEVEL]
    held = {(one["origin"], one["operator"]) for one in stages[0]["operators"]}
    assert ("jvm-native", "shuffle write") in held


@pytest.fixture
def comet(line):
    """DataFusion Comet's jar, from Maven Central."""
    if line != "3.5":
        pytest.skip(f"Comet 0.9 has no jar for Spark {line}.3")
    jars = BUILD.parent / "third-party/comet"
    fetch = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={COMET}", f"-DoutputDirectory={jars}"]
    finished = processes.run(fetch, 600, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert finished.returncode == 0, finished.stdout
    (jar,) = jars.glob("comet-*.jar")
    return jar


@pytest.mark.full
@pytest.mark.one_line("3.5")
def test_a_native_engine(spark_run, jar, comet, tmp_path):
    """15 s and a download: the memory of an engine in Rust, by task and Rust function."""
    conf = {
        "spark.plugins": f"org.apache.spark.CometPlugin,{PLUGIN}",
        "spark.shuffle.manager": "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager",
        "spark.executor.extraClassPath": comet,
        "spark.driver.extraClassPath": comet,
        "spark.memory.offHeap.enabled": "true",
        "spark.memory.offHeap.size": "1g",
    }
    rows = pathlib.Path(tmp_path, "rows")
    run = spark_run("native_engine.py", rows, KEYS, master="local-cluster[1,2,1024]", jar=f"{jar},{comet}", conf=conf)
    assert run.demand_success().result() == KEYS
    report = run.report()
    tables = [
        (stage["stageId"], site["liveAtPeakBytes"], site["operator"])
        for stage in report["stages"]
        for site in native_sites(stage)
        if any(function and "hashbrown" in function for function in functions(site, "native"))
    ]
    # A task has half of the keys or more, and an entry of its table takes at least a hash and an index of 8 bytes each.
    assert max(bytes_ for _, bytes_, _ in tables) > KEYS / 2 * 16, tables
    assert {operator for _, _, operator in tables} >= {"CometNativeExec"}, tables
    assert report["counters"]["noTaskNativeBytes: native thread tokio-runtime-w"] > 1 << 20
