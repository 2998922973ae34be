"""Tasks whose function works in processes of its own: a fork, a new Python, one that a fork server makes.

Prints {way: exit code of the process}. Its second file, children_helper.py, comes by --py-files.
"""

import json
import multiprocessing

import children_helper
from pyspark.sql import SparkSession

SIZES = {"fork": 3_100_019, "spawn": 3_200_003, "forkserver": 3_300_011}


def by(way):
    def in_a_process(numbers):
        child = multiprocessing.get_context(way).Process(target=children_helper.hold, args=(SIZES[way],))
        child.start()
        child.join()
        return [child.exitcode]

    return in_a_process


if __name__ == "__main__":
    spark = SparkSession.builder.appName("children").getOrCreate()
    ended = {way: spark.sparkContext.parallelize([0], 1).mapPartitions(by(way)).collect()[0] for way in SIZES}
    print("RESULT " + json.dumps(ended), flush=True)
    spark.stop()
