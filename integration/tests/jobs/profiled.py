"""A task that grows in an executor of a ResourceProfile, whose overhead is the argument. RESULT: its blocks."""

import json
import os
import sys
import time

from pyspark.resource import ExecutorResourceRequests, ResourceProfileBuilder, TaskResourceRequests
from pyspark.sql import SparkSession

BLOCK_BYTES, BLOCKS = 5_100_013, 130
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))


def grow(_):
    blocks = []
    for _ in range(BLOCKS):
        blocks.append(bytearray(b"x") * BLOCK_BYTES)  # grown in a profile
        time.sleep(0.02)
    time.sleep(3 * PATIENCE)
    return len(blocks)


if __name__ == "__main__":
    spark = SparkSession.builder.appName("profiled").getOrCreate()
    executor = ExecutorResourceRequests().cores(1).memory("512m").memoryOverhead(sys.argv[1])
    profile = ResourceProfileBuilder().require(executor).require(TaskResourceRequests().cpus(1)).build
    rows = spark.sparkContext.parallelize([0], 1).map(grow).withResources(profile)
    print("RESULT", json.dumps(rows.sum()), flush=True)
    spark.stop()
