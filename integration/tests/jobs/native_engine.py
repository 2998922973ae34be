"""Groups rows, two for each key, in whatever engine the session has. Arguments: a folder for the rows, and the keys.

RESULT: the groups."""

import json
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

if __name__ == "__main__":
    folder, keys = sys.argv[1], int(sys.argv[2])
    spark = SparkSession.builder.appName("native engine").getOrCreate()
    columns = ["id", f"id % {keys} as k", "id * 3 as v"]
    spark.range(0, keys * 2, 1, 4).selectExpr(*columns).write.parquet(folder)
    groups = spark.read.parquet(folder).groupBy("k").agg(F.sum("v").alias("v"), F.max("id").alias("last"))
    print("RESULT", json.dumps(groups.filter("v > 10").count()), flush=True)
    spark.stop()
