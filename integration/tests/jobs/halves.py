"""Known bytes in executors' JVMs (jobs/NativeHog.java), in their Pythons and in the driver's JVM.

Argument: NativeHog's library. RESULT: its tasks, and the sum of Python's.
"""

import json
import sys

from pyspark.sql import SparkSession

DRIVERS_BYTES = 23_000_009
PYTHON_BYTES, TASKS = 3_300_013, 4


def take(numbers):
    block = bytearray(PYTHON_BYTES)  # block of a half
    for number in numbers:
        yield number + len(block)


if __name__ == "__main__":
    spark = SparkSession.builder.appName("halves").getOrCreate()
    sc = spark.sparkContext
    held = sc._jvm.java.nio.ByteBuffer.allocate(DRIVERS_BYTES)
    tasks = sc._jvm.NativeHog.run(sc._jsc, sys.argv[1])
    total = sc.parallelize(range(40), TASKS).mapPartitions(take).sum()
    print("RESULT", json.dumps([tasks, total]), flush=True)
    spark.stop()
