"""One task fetches a block of a shuffle from another executor. Argument: its size, bytes."""

import json
import os
import sys

from pyspark.sql import SparkSession

PIECE_BYTES = 1 << 20
PARTITIONS = 2  # one on each executor

spark = SparkSession.builder.getOrCreate()
pieces = int(sys.argv[1]) // PIECE_BYTES


def make(_):
    for _ in range(pieces):
        yield 0, os.urandom(PIECE_BYTES)


made = spark.sparkContext.parallelize(range(PARTITIONS), PARTITIONS).flatMap(make)
fetched = made.partitionBy(1).map(lambda piece: len(piece[1])).sum()
print("RESULT", json.dumps(fetched), flush=True)
spark.stop()
