"""Work of Spark's own engine: a pandas UDF, two kinds of joins, a cached aggregate, a stream with RocksDB."""

import json
import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

ROWS = 1_000_000

spark = SparkSession.builder.appName("engine").getOrCreate()
spark.conf.set("spark.sql.adaptive.enabled", "false")
chosen = sys.argv[1:]


def pairs(keys):
    return spark.range(ROWS).select((f.col("id") % keys).alias("key"), f.expr("uuid()").alias("text"))


def pandas_udf():
    @f.pandas_udf("string")
    def shout(texts):
        return texts.str.upper()

    return pairs(1000).select(shout("text").alias("text")).agg(f.max("text")).collect()


def sort_merge_join():
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", -1)
    return pairs(ROWS).join(pairs(ROWS), "key").agg(f.count("*")).collect()


def broadcast_join():
    small = spark.range(200_000).select(f.col("id").alias("key"), f.expr("uuid()").alias("name"))
    return pairs(200_000).join(f.broadcast(small), "key").agg(f.max("name")).collect()


def cached_aggregate():
    cached = pairs(50_000).cache()
    cached.count()
    found = cached.groupBy("key").agg(f.max("text").alias("most")).agg(f.count("*")).collect()
    cached.unpersist()
    return found


def stream():
    spark.conf.set(
        "spark.sql.streaming.stateStore.providerClass",
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    )
    with tempfile.TemporaryDirectory() as folder:
        source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 200_000).load()
        counts = source.groupBy((f.col("value") % 50_000).alias("key")).count()
        query = counts.writeStream.outputMode("update").format("noop").option("checkpointLocation", folder)
        started = query.start()
        while started.lastProgress is None or started.lastProgress["batchId"] < 5:
            started.awaitTermination(0.2)
        started.stop()
        return started.lastProgress["batchId"]


for name in chosen:
    globals()[name]()
spark.stop()
print("RESULT " + json.dumps(chosen))
