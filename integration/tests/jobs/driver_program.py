"""The program of `sparkmemprof run` that starts Spark itself, holds known bytes, and ends as its argument says.

RESULT, where a worker is killed or the JVM: the exception that the program catches.
"""

import json
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


def say_failure(call):
    try:
        call()
    except Exception as error:
        found = {"type": type(error).__name__, "text": str(error), "notes": getattr(error, "__notes__", [])}
        print("RESULT", json.dumps(found), flush=True)


def killed(_):
    os.kill(os.getpid(), signal.SIGKILL)


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
    say_failure(lambda: spark.range(7).count())
if way == "full heap":
    try:
        spark.sparkContext._jvm.java.util.ArrayList().ensureCapacity(2_000_000_000)
    except Exception as error:
        print(type(error).__name__)
    spark.sparkContext._gateway.proc.wait()
if way == "worker killed":
    say_failure(lambda: spark.sparkContext.parallelize([0], 1).map(killed).collect())
if way == "two":
    spark.stop()
# Whoever doesn't stop it leaves that to the JVM, which notices the program's end.
sys.exit(3)
