"""Many short-lived workers: Spark starts a new one for each task. Prints how many black boxes there were, and are left.

Usage: boxes.py FOLDER TASKS
"""

import json
import os
import pathlib
import sys
import time

from pyspark.sql import SparkSession

BOXES = pathlib.Path(sys.argv[1])
TASKS = int(sys.argv[2])
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))


def boxes():
    return len(list(BOXES.rglob("*.box")))


def of_task(numbers):
    block = bytearray(2_200_009)  # of task
    return [len(block) + sum(numbers)]


def main():
    spark = SparkSession.builder.appName("boxes").getOrCreate()
    total = spark.sparkContext.parallelize(range(TASKS), TASKS).mapPartitions(of_task).sum()
    at_the_end = boxes()
    deadline = time.monotonic() + 20 * PATIENCE
    while boxes() > 0 and time.monotonic() < deadline:
        time.sleep(0.1)
    print("RESULT", json.dumps({"total": total, "at the end": at_the_end, "left": boxes()}), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
