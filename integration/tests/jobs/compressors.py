"""zstd's native library compresses a shuffle and parquet files. Argument: their folder. RESULT: rows, sum of ids."""

import json
import sys

from pyspark.sql import SparkSession

ROWS, TASKS = 20_000, 2

if __name__ == "__main__":
    spark = SparkSession.builder.appName("compressors").getOrCreate()
    spark.conf.set("spark.sql.adaptive.enabled", "false")  # one job: a stage that writes a shuffle, one that reads it
    rows = spark.range(0, ROWS, 1, TASKS).selectExpr("id", "uuid() as text").repartition(TASKS, "id")
    rows.write.option("compression", "zstd").parquet(sys.argv[1])
    ids = [row["id"] for row in spark.read.parquet(sys.argv[1]).select("id").collect()]
    print("RESULT", json.dumps([len(ids), sum(ids)]), flush=True)
    spark.stop()
