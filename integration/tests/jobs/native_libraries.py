"""Runs jobs/NativeHog.java. Argument: the library. RESULT: how many tasks there were."""

import json
import sys

from pyspark.sql import SparkSession

if __name__ == "__main__":
    spark = SparkSession.builder.appName("native libraries").getOrCreate()
    tasks = spark.sparkContext._jvm.NativeHog.run(spark.sparkContext._jsc, sys.argv[1])
    print("RESULT", json.dumps(tasks), flush=True)
    spark.stop()
