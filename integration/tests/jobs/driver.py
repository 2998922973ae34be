"""Holds known bytes in the driver: in its JVM's heap, in its storage memory and in its Python process."""

import os
import time

from pyspark.sql import SparkSession

HEAP, BLOCKS = 17_000_011, 3
BROADCAST = 9_000_017
PYTHON = 77_000_023
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))

spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext
held = [spark._jvm.java.nio.ByteBuffer.allocate(HEAP) for _ in range(BLOCKS)]
value = sc.broadcast(os.urandom(BROADCAST))
mine = bytearray(PYTHON)
mine[::4096] = b"x" * len(range(0, PYTHON, 4096))  # resident
lengths = sc.parallelize(range(2), 2).map(lambda _: len(value.value)).collect()
for _ in range(3):  # samples of the time line, a second each; sweeps of what the collections have proved
    spark._jvm.System.gc()
    time.sleep(PATIENCE)
print("RESULT", lengths[0], flush=True)
spark.stop()
