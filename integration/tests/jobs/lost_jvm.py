"""A program whose own Python has started the JVM, as a notebook's has. The JVM ends as the argument says, before it.

RESULT: what the call that was under way failed with, and the one after it.
"""

import json
import os
import pathlib
import signal
import sys
import threading
import time

import sparkmemprof.driver  # noqa: F401
from pyspark import SparkContext
from pyspark.sql import SparkSession

BUFFER_BYTES = 50_000_000
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))

spark = SparkSession.builder.appName("lost jvm").getOrCreate()
count = spark.range(7).count()


def failure(call):
    try:
        call()
    except Exception as error:
        return {"type": type(error).__name__, "text": str(error), "notes": list(getattr(error, "__notes__", ()))}
    return None


def killed():
    threading.Timer(2 * PATIENCE, os.kill, (SparkContext._gateway.proc.pid, signal.SIGKILL)).start()
    spark._jvm.java.lang.Thread.sleep(int(60_000 * PATIENCE))


def filled():
    # The kernel is to take the JVM, and not this process.
    pathlib.Path(f"/proc/{SparkContext._gateway.proc.pid}/oom_score_adj").write_text("500")
    buffers = []
    while True:  # pages of the JVM's, until the kernel takes it
        buffers.append(spark._jvm.java.nio.ByteBuffer.allocateDirect(BUFFER_BYTES))


def heap():
    text = "repeat(lpad(cast(id as string), 10, '0'), 100000)"  # 1 MB
    return spark.range(0, 900, 1, 4).selectExpr("id", f"{text} as text").collect()


if sys.argv[1] == "in-order":
    spark.stop()
    SparkContext._gateway.proc.kill()  # the JVM outlives its application; what becomes of it then is none of that one's
    after = failure(SparkSession.builder.getOrCreate)
    print("RESULT", json.dumps([count, after["notes"]]), flush=True)
else:
    time.sleep(3 * PATIENCE)  # snapshots of the driver have come
    first = failure({"killed": killed, "filled": filled, "heap": heap}[sys.argv[1]])
    print("RESULT", json.dumps([first, failure(lambda: spark.range(7).count())]), flush=True)
