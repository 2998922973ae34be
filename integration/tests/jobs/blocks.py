"""A job with two kinds of Python function, each of whose tasks takes one block of an odd size. Prints a result."""

import json

from pyspark.sql import SparkSession

PANDAS_BYTES = 1_999_993
RDD_BYTES = 2_999_977


def grow(batches):
    for batch in batches:
        block = bytearray(PANDAS_BYTES)  # pandas block
        yield batch.assign(id=batch["id"] + len(block))


def square(numbers):
    block = bytearray(RDD_BYTES)  # rdd block
    for number in numbers:
        yield number * number + len(block)


def main():
    spark = SparkSession.builder.appName("blocks").getOrCreate()
    grown = spark.range(0, 4_000, 1, 4).mapInPandas(grow, "id long")
    squares = spark.sparkContext.parallelize(range(40), 5).mapPartitions(square)
    print("RESULT", json.dumps([grown.groupBy().sum().collect()[0][0], sorted(squares.collect())]), flush=True)
    # It doesn't stop its session, as many programs don't.


if __name__ == "__main__":
    main()
