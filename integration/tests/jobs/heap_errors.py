"""Jobs that run out of heap in the ways of HeapErrors.java.

Arguments: the ways, separated by commas, and the bytes.

RESULT: what each held, in the order of the ways."""

import json
import os
import sys
import time

from pyspark.sql import SparkSession

PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))
SECONDS = 120 * PATIENCE


def wait_for_the_end(context):
    """An executor takes up to half a minute to end, and longer on a busy machine; another one comes in its place."""
    end = time.monotonic() + SECONDS
    while {"0", "1"} <= set(context.getExecutorIds().mkString(",").split(",")) and time.monotonic() < end:
        time.sleep(0.2)
    time.sleep(8 * PATIENCE)  # what tells of it is a little later


if __name__ == "__main__":
    spark = SparkSession.builder.appName("heap errors").getOrCreate()
    context = spark.sparkContext
    ways = sys.argv[1].split(",")
    wanted = int(sys.argv[2])
    held = [context._jvm.HeapErrors.run(context._jsc, way, wanted) for way in ways]
    if any(way == "ends" and bytes_ < wanted for way, bytes_ in zip(ways, held)):
        wait_for_the_end(context._jsc.sc())
    print("RESULT " + json.dumps(held), flush=True)
    spark.stop()
