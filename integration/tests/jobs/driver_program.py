"""The program of `sparkmemprof run` that starts Spark itself, holds known bytes, and ends as its argument says."""

import os
import signal
import socketserver
import sys

from pyspark.sql import SparkSession

HELD = 41_000_027


def application(name, **conf):
    builder = SparkSession.builder.appName(name)
    for key, value in conf.items():
        builder = builder.config(key.replace("_", "."), value)
    session = builder.getOrCreate()
    assert session.sparkContext.parallelize(range(7), 1).map(lambda i: i).count() == 7
    return session


way = sys.argv[1]
# PySpark's daemon thread prints that its connection broke. If this program ends meanwhile, CPython aborts it.
socketserver.BaseServer.handle_error = lambda *_: None
spark = application("first")
held = bytearray(HELD)  # held
if way == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
if way in ("two", "names in the second", "JVM killed in the second"):
    spark.stop()
    spark = application("second", spark_memprof_source="names" if way == "names in the second" else "lines")
if way.startswith("JVM killed"):
    spark.sparkContext._gateway.proc.kill()
    spark.sparkContext._gateway.proc.wait()
if way == "full heap":
    try:
        spark.sparkContext._jvm.java.util.ArrayList().ensureCapacity(2_000_000_000)
    except Exception as error:
        print(type(error).__name__)
    spark.sparkContext._gateway.proc.wait()
if way == "two":
    spark.stop()
# Whoever doesn't stop it leaves that to the JVM, which notices the program's end.
sys.exit(3)
