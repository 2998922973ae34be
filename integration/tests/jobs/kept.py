"""Twelve tasks of each function of kept_helper, one after another in one worker. Prints how many results came."""

import json
import pathlib

import kept_helper
from pyspark.sql import SparkSession

TASKS = 12

spark = SparkSession.builder.getOrCreate()
context = spark.sparkContext
context.addPyFile(str(pathlib.Path(__file__).with_name("kept_helper.py")))
results = 0
for function in (kept_helper.remember, kept_helper.look_up, kept_helper.replace, kept_helper.free):
    results += context.parallelize(range(1_200), TASKS).mapPartitions(function).count()
frame = spark.range(0, 1_200, 1, TASKS).mapInPandas(kept_helper.remember_batches, "id long")
results += frame.count()
print("RESULT " + json.dumps(results))
spark.stop()
