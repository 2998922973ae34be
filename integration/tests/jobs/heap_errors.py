"""Jobs that run out of heap in the ways of HeapErrors.java.

Arguments: the ways, separated by commas, and the bytes. "collects": an aggregation gathers so many bytes in one list.
"terminated": caught, in a JVM that is told to end then. With a storage level, 384 MB are cached so before.

RESULT: what each held, in the order of the ways."""

import json
import sys

from executors import wait_for_an_end
from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql.functions import collect_list

if __name__ == "__main__":
    spark = SparkSession.builder.appName("heap errors").getOrCreate()
    context = spark.sparkContext
    ways = sys.argv[1].split(",")
    wanted = int(sys.argv[2])
    if ways == ["collects"]:
        texts = spark.range(0, wanted // 100_000, 1, 1).selectExpr("repeat(lpad(id, 10, '0'), 10000) as text")
        try:
            texts.agg(collect_list("text").alias("all")).selectExpr("size(all)").collect()
        except Exception as error:
            print(type(error).__name__)
        wait_for_an_end(spark)
        spark.stop()
        sys.exit(0)
    if sys.argv[3:]:
        columns = [f"xxhash64(id, {seed}) as c{seed}" for seed in range(8)]  # not to be compressed
        cached = spark.range(0, 6_000_000, 1, 4).selectExpr(*columns).persist(getattr(StorageLevel, sys.argv[3]))
        cached.count()
    held = [context._jvm.HeapErrors.run(context._jsc, way, wanted) for way in ways]
    if any(way != "caught" and bytes_ < wanted for way, bytes_ in zip(ways, held)):
        wait_for_an_end(spark)
    print("RESULT " + json.dumps(held), flush=True)
    spark.stop()
