"""The smallest job with Python workers: numbers, squared and summed. argv[1]: bytes that each task allocates, or 0."""

import json
import sys

from pyspark import SparkContext

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 else 0


def square(partition):
    block = bytearray(SIZE)  # block
    for number in partition:
        yield number * number + len(block)


sc = SparkContext(appName="sum")
print("RESULT", json.dumps(sc.parallelize(range(40), 2).mapPartitions(square).sum()), flush=True)
sc.stop()
