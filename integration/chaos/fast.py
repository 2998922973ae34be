"""Tasks that take a gigabyte a second until they are killed, on their first attempt. Argument: how many of them."""

import json
import sys
import time

from pyspark import TaskContext
from pyspark.sql import SparkSession

BLOCK_BYTES, BYTES_A_SECOND = 10_000_019, 1e9
MOST_BYTES = 3e9


def fill(_):
    blocks = []
    start = time.perf_counter()
    while TaskContext.get().attemptNumber() == 0 and len(blocks) * BLOCK_BYTES < MOST_BYTES:
        blocks.append(bytearray(b"x") * BLOCK_BYTES)
        ahead = len(blocks) * BLOCK_BYTES / BYTES_A_SECOND - (time.perf_counter() - start)
        time.sleep(max(ahead, 0))
    return len(blocks)


spark = SparkSession.builder.appName("last words").getOrCreate()
tasks = int(sys.argv[1])
print("RESULT", json.dumps(spark.sparkContext.parallelize(range(tasks), tasks).map(fill).sum()), flush=True)
spark.stop()
