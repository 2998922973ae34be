"""Applications and executors that come to an end in the way that the first argument names.

RESULT: the sum of the lengths of what the tasks held.
"""

import json
import os
import sys
import threading
import time

from executors import wait_for_an_end
from pyspark.sql import SparkSession

BLOCK_BYTES = 7_300_019
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))


def hold(_):
    held = bytearray(BLOCK_BYTES)  # held
    return len(held)


def hold_on(_):
    held = bytearray(BLOCK_BYTES)  # held on
    time.sleep(45)  # Spark 3.5 waits for a job that runs, Spark 4 doesn't
    return len(held)


def held_by(spark, tasks):
    return spark.sparkContext.parallelize(range(tasks), tasks).map(hold).sum()


def raised(_):
    raise RuntimeError("of the user")


def left_running(spark):
    """The program ends while tasks run."""
    background = threading.Thread(target=spark.sparkContext.parallelize([0, 1], 2).map(hold_on).sum, daemon=True)
    background.start()
    tracker = spark.sparkContext.statusTracker()
    end = time.monotonic() + 60 * PATIENCE
    while time.monotonic() < end:
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        if any(stage and stage.numActiveTasks == 2 for stage in stages):
            time.sleep(2 * PATIENCE)
            return
        time.sleep(0.1)
    raise AssertionError("no two tasks run")


def decommissioned(spark):
    """Its host is to go: the executor hands over what it has and ends itself. Then further tasks run."""
    jvm = spark.sparkContext._jvm
    info = jvm.org.apache.spark.scheduler.ExecutorDecommissionInfo("its host is to go", jvm.scala.Option.empty())
    backend = spark.sparkContext._jsc.sc().schedulerBackend()
    assert backend.decommissionExecutor("0", info, False, False)
    wait_for_an_end(spark)
    assert held_by(spark, 2) == 2 * BLOCK_BYTES
    spark.stop()


def main():
    spark = SparkSession.builder.appName("ends").getOrCreate()
    print("RESULT", json.dumps(held_by(spark, 4)), flush=True)
    ways = {"left": lambda _: None, "raised": raised, "left-running": left_running, "decommissioned": decommissioned}
    ways[sys.argv[1]](spark)


if __name__ == "__main__":
    main()
