"""Two SparkContexts in one process, the second with a copy of the first one's configuration."""

import json

from pyspark import SparkConf, SparkContext


def work(_):
    return len(bytearray(2_300_003))  # block


results = []
conf = SparkConf().setAppName("twice")
for _ in range(2):
    sc = SparkContext(conf=conf)
    results.append(sc.parallelize([1], 1).map(work).sum())
    conf = sc.getConf()
    sc.stop()
print("RESULT", json.dumps(results), flush=True)
