"""Allocates a block in a task, says so, and waits for the end of its JVM. argv[1]: the file that says so."""

import os
import pathlib
import sys
import time

from pyspark import SparkContext


def work(_):
    return len(bytearray(2_200_013))  # block


jvm = os.getppid()
sc = SparkContext(appName="waits")
pathlib.Path(sys.argv[1]).write_text(str(sc.parallelize([1], 1).map(work).sum()))
while os.getppid() == jvm:
    time.sleep(0.1)
