"""Executors under -Xcheck:jni, whose compressors take memory while they hold an array: no JNI function is called."""

import pytest
from conftest import AGENT_PATH, LOCAL_CLUSTER

pytestmark = pytest.mark.full

CONF = {
    "spark.memory.offHeap.enabled": "true",
    "spark.memory.offHeap.size": "100m",
    # lz4, the default, takes memory while it holds an array. So does zstd, but of that Spark 4 is complained of anyway.
    "spark.memprof.native.interval": "4k",
}
COMPLAINTS = "Calling other JNI functions", "WARNING: JNI local refs"


def complaints(run):
    lines = [line for log in run.executor_logs().values() for line in log.splitlines()]
    return {complaint: sum(complaint in line for line in lines) for complaint in COMPLAINTS}


def test_nothing_more_is_complained_of(spark_run):
    def under_check(agent, **options):
        # Of the collectors that hold a collection back meanwhile the JVM complains.
        conf = CONF | {"spark.executor.extraJavaOptions": f"-Xcheck:jni -XX:+UseSerialGC {agent}"}
        run = spark_run("spark_memory.py", "off-heap", master=LOCAL_CLUSTER, conf=conf, **options)
        return complaints(run.demand_success())

    bare = under_check("", profiled=False)
    assert bare[COMPLAINTS[0]] == 0, "else the other one shows nothing"
    profiled = under_check(AGENT_PATH)
    assert all(profiled[complaint] <= bare[complaint] for complaint in COMPLAINTS), (bare, profiled)
