"""Brings results of known sizes to the driver, by several actions; the last asks for more than the driver takes.

With more allowed, it passes.

Argument: spark.driver.maxResultSize that makes it pass.
"""

import json
import os
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

COLLECTED, ARROW, DESCRIBED, REFUSED = 300_011, 700_001, 200_003, 760_019

spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext


def blocks(size, tasks):
    return sc.parallelize(range(tasks), tasks).map(lambda _: os.urandom(size))


taken = blocks(COLLECTED, 3).collect()  # collect
assert [len(block) for block in taken] == [COLLECTED] * 3

spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")


def rows(batches):
    for batch in batches:
        batch["block"] = [os.urandom(ARROW) for _ in range(len(batch))]
        yield batch[["block"]]


frame = spark.range(0, 2, 1, 2).mapInPandas(rows, "block binary").toPandas()  # toPandas
assert [len(block) for block in frame["block"]] == [ARROW] * 2

sc.setJobDescription("a described job")
blocks(DESCRIBED, 1).collect()  # described
sc.setJobDescription(None)

# Broadcast: the small side is collected to the driver, and what joins is counted there.
small = spark.range(0, 50_021, 1, 2).select("id", F.rand(7).alias("a"), F.rand(8).alias("b"))
large = spark.range(0, 100_003, 1, 2)
both = (large["id"] == small["id"]) & (small["a"] + small["b"] + large["id"] >= 0)  # so that no column is left out
counted = large.join(F.broadcast(small), both).count()  # count


def ask_for_much():
    return blocks(REFUSED, 5).collect()  # refused


try:
    ask_for_much()
    failure = None
except Exception as error:
    failure = str(error)
spark.stop()

conf = {"spark.driver.maxResultSize": sys.argv[1], "spark.plugins": ""}
builder = SparkSession.builder
for key, value in conf.items():
    builder = builder.config(key, value)
spark = builder.getOrCreate()
sc = spark.sparkContext
passed = len(ask_for_much())
print("RESULT", json.dumps({"counted": counted, "failure": failure, "passed": passed}), flush=True)
spark.stop()
