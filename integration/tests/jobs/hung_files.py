"""The smallest job with Python workers and one without, and a file system that hangs once its server is stopped.

argv: the pid of the process that serves it, the number of the kernel's connection to it, and when that process is to
stop: before, between the jobs, at the end. RESULT: the sum, the count, and the pids of the executors' JVMs.
"""

import json
import os
import signal
import sys
import time

from pyspark.sql import SparkSession

server, connection, when = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]


def square(partition):
    for number in partition:
        yield number * number, os.getppid()  # of its daemon


def state_and_parent(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        state, parent = file.read().rpartition(")")[2].split()[:2]
    return state, int(parent)


def requests():
    """Those that its file system waits for."""
    try:
        with open(f"/sys/fs/fuse/connections/{connection}/waiting", encoding="ascii") as file:
            return int(file.read())
    except OSError:  # sysfs isn't there for everybody
        return 0


def stop_server(now):
    """Not while it serves a request that it has read: for that one a process waits even after SIGKILL."""
    if now != when:
        return
    for _ in range(500):
        os.kill(server, signal.SIGSTOP)
        while state_and_parent(server)[0] != "T":
            time.sleep(0.001)
        if requests() == 0:
            return
        os.kill(server, signal.SIGCONT)
        time.sleep(0.01)
    raise AssertionError("its file system is never idle")


stop_server("before")
spark = SparkSession.builder.appName("hung files").getOrCreate()
rows = spark.sparkContext.parallelize(range(40), 2).mapPartitions(square).collect()
jvms = sorted({state_and_parent(daemon)[1] for _, daemon in rows})
stop_server("between")
count = spark.range(1000, numPartitions=4).where("id % 2 = 0").count()
print("RESULT", json.dumps({"sum": sum(value for value, _ in rows), "count": count, "jvms": jvms}), flush=True)
stop_server("end")
spark.stop()
