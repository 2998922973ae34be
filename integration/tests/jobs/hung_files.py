"""The smallest job with Python workers. Then the process whose pid is the argument stops: it serves a file system.

RESULT: the sum, and the pids of the executors' JVMs.
"""

import json
import os
import signal
import sys

from pyspark import SparkContext


def square(partition):
    for number in partition:
        yield number * number, os.getppid()  # of its daemon


def parent_of(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return int(file.read().rpartition(")")[2].split()[1])


sc = SparkContext(appName="hung files")
rows = sc.parallelize(range(40), 2).mapPartitions(square).collect()
jvms = sorted({parent_of(daemon) for _, daemon in rows})
print("RESULT", json.dumps({"sum": sum(value for value, _ in rows), "jvms": jvms}), flush=True)
os.kill(int(sys.argv[1]), signal.SIGSTOP)
sc.stop()
