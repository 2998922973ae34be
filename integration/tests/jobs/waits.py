"""Allocates a block in a task, says so, and waits for the end of the world. argv[1]: the file that says so."""

import pathlib
import sys
import time

from pyspark import SparkContext


def work(_):
    return len(bytearray(2_200_013))  # block


sc = SparkContext(appName="waits")
pathlib.Path(sys.argv[1]).write_text(str(sc.parallelize([1], 1).map(work).sum()))
time.sleep(600)
