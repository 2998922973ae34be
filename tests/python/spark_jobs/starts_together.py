"""Two tasks at once, each of which forks twelve processes. Prints how many rows came back as JSON in the last line."""

import json
import os
import tempfile

import in_child
from pyspark.sql import SparkSession

FORKS = 12


def forks(folder):
    def forked(row):
        in_child.take_when_all_are_here(1_000, folder, 2)
        children = []
        for _ in range(FORKS):
            child = os.fork()
            if child == 0:
                in_child.take(7_899_997)
                os._exit(0)
            children.append(child)
        for child in children:
            os.waitpid(child, 0)
        return row

    return forked


def main():
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.python.daemon.module", "sparkmemprof.daemon").getOrCreate()
    with tempfile.TemporaryDirectory() as folder:
        rows = spark.sparkContext.parallelize(range(2), 2).map(forks(folder)).count()
    print(json.dumps(rows), flush=True)
    spark.stop()


main()
