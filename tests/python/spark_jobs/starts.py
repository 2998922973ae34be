"""Tasks that start processes: each way with an odd size of its own. Prints {way: rows} as JSON in the last line."""

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile

import in_child
import joblib
from joblib.externals.loky import get_reusable_executor
from pyspark.sql import SparkSession


def in_pool(way, size):
    with multiprocessing.get_context(way).Pool(1) as pool:
        taken = pool.apply(in_child.take, (size,))
        pool.close()
        pool.join()
    return taken


def spawns(row):
    return row + in_pool("spawn", 1_899_997)


def serves(row):
    return row + in_pool("forkserver", 2_899_997)


def joins(row):
    """Two processes of joblib's; they would wait for the next task's work."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = [joblib.delayed(in_child.take_when_all_are_here)(3_899_997, folder, 2)] * 2
        taken = sum(joblib.Parallel(n_jobs=2)(jobs))
    get_reusable_executor().shutdown(wait=True)
    return row + taken


def forks(row):
    """One after the other."""
    for _ in range(3):
        process = multiprocessing.get_context("fork").Process(target=in_child.take, args=(8_899_997,))
        process.start()
        process.join()
    return row + process.exitcode


def runs(row):
    code = "import in_child; print(in_child.take(4_899_997))"
    return row + int(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)


def runs_apart(row):
    """With what is called between fork and exec: that is no process of its own."""
    code = "import in_child; in_child.take(6_899_997)"
    for _ in range(9):
        subprocess.run([sys.executable, "-c", code], preexec_fn=os.setsid, check=True)
    return row


def runs_often(row):
    for _ in range(18):
        subprocess.run([sys.executable, "-c", "import in_child; in_child.take(5_899_997)"], check=True)
    return row


def main():
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.python.daemon.module", "sparkmemprof.daemon").getOrCreate()
    numbers = spark.sparkContext.parallelize([0], 1)
    ways = (spawns, serves, joins, forks, runs, runs_apart, runs_often)
    print(json.dumps({way.__name__: numbers.map(way).collect() for way in ways}), flush=True)
    spark.stop()


main()
