"""Frames of PySpark's under call_sites.py. Prints at which lines plan_lines has each built, as JSON; no job runs.

The comment of a line has the name of the frame that it builds, and of those that this one is made of.
"""

import json
import pathlib
import tempfile

from sparkmemprof import call_sites, plan_lines

call_sites.install()
import pandas  # noqa: E402
from pyspark.sql import Observation, SparkSession, functions  # noqa: E402

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
folder = tempfile.mkdtemp()
pathlib.Path(folder, "rows.json").write_text('{"id": 1}\n')


def same(frames):
    yield from frames


numbers = spark.range(100)  # numbers
more = spark.range(9)  # more
keyed = numbers.withColumn("key", numbers.id % 7)  # keyed: numbers
frames = {}
frames["selected"] = numbers.select("id").where("id > 3").alias("other")  # selected: numbers
frames["joined"] = numbers.join(more, "id")  # joined: numbers more
frames["broadcast"] = numbers.join(functions.broadcast(more), "id")  # broadcast: numbers more
frames["grouped"] = keyed.groupBy("key").agg(functions.sum("id").alias("total"))  # grouped: keyed
frames["pivoted"] = keyed.groupBy("key").pivot("id", [1, 2]).count()  # pivoted: keyed
frames["united"] = numbers.union(more).distinct()  # united: numbers more
frames["subtracted"] = numbers.subtract(more)  # subtracted: numbers more
frames["filled"] = numbers.na.fill(0).dropna()  # filled: numbers
frames["renamed"] = numbers.toDF("number").withColumnRenamed("number", "n")  # renamed: numbers
frames["sampled"] = numbers.sampleBy("id", {1: 0.5})  # sampled: numbers
frames["mapped"] = numbers.mapInPandas(same, "id long").mapInArrow(same, "id long")  # mapped: numbers
frames["applied"] = keyed.groupBy("key").applyInPandas(lambda frame: frame, keyed.schema)  # applied: keyed
grouped = more.withColumn("key", more.id).groupBy("key")  # regrouped: more
cogroup = keyed.groupBy("key").cogroup(grouped)  # cogroup: keyed regrouped
frames["cogrouped"] = cogroup.applyInPandas(lambda left, _: left, keyed.schema)  # cogrouped: keyed regrouped cogroup
frames["observed"] = more.observe(Observation("seen"), functions.count("*"))  # observed: more
frames["read"] = spark.read.schema("id long").option("mode", "FAILFAST").json(folder)  # read
frames["loaded"] = spark.read.format("json").schema("id long").load(folder).limit(3)  # loaded
frames["queried"] = spark.sql("select 1 as id").crossJoin(more)  # queried: more
more.createOrReplaceTempView("view")
frames["tabled"] = spark.table("view")  # tabled
frames["made"] = spark.createDataFrame([(1,)], "id long")  # made
frames["converted"] = spark.createDataFrame(pandas.DataFrame({"id": [1]}))  # converted
spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")
frames["transferred"] = spark.createDataFrame(pandas.DataFrame({"id": [1]}))  # transferred
frames["ordered"] = more.orderBy("id").repartition(3).hint("rebalance").cache()  # ordered: more
built = {
    name: [int(place.rpartition(":")[2]) for place in sorted(places, key=places.get)]
    for name, places in ((name, plan_lines.of([frame._jdf])) for name, frame in frames.items())
}
column = plan_lines.of([functions.col("id").alias("other")._jc])
print(json.dumps({"built": built, "column": column}))
