"""Tasks that hold what a worker has and wait. Arguments: how many; a folder, in which each makes a file and which gets
the file `stop`."""

import os
import pathlib
import sys
import time

from pyspark.sql import SparkSession

tasks, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])


def wait(_):
    import pandas  # noqa: F401

    held = bytearray(b"x") * 20_000_003
    (folder / f"{os.getpid()}.here").touch()
    while not (folder / "stop").exists():
        time.sleep(0.1)
    return len(held)


spark = SparkSession.builder.appName("waiting").getOrCreate()
print("RESULT", spark.sparkContext.parallelize(range(tasks), tasks).map(wait).count(), flush=True)
spark.stop()
