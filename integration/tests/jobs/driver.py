"""Holds known bytes in the driver: in its JVM's heap, in its storage memory and in its Python process."""

import os

from pyspark.sql import SparkSession
from reported import await_report

HEAP, BLOCKS = 17_000_011, 3
BROADCAST = 9_000_017
PYTHON = 77_000_023

spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext
held = [spark._jvm.java.nio.ByteBuffer.allocate(HEAP) for _ in range(BLOCKS)]
value = sc.broadcast(os.urandom(BROADCAST))
mine = bytearray(PYTHON)
mine[::4096] = b"x" * len(range(0, PYTHON, 4096))  # resident
lengths = sc.parallelize(range(2), 2).map(lambda _: len(value.value)).collect()


def proved(report):
    """That the driver's heap retains the buffers. Of a collection nothing may be known; so there is always another."""
    spark._jvm.System.gc()
    retained = [executor["retained"] for executor in report["executors"] if executor["id"] == "driver"]
    return retained and retained[0] and retained[0]["totalBytes"] > BLOCKS * HEAP


await_report(sc, proved, "what the driver's heap retains")
print("RESULT", lengths[0], flush=True)
spark.stop()
