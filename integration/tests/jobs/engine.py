"""Work of Spark's own engine: a pandas UDF, two kinds of joins, a cached aggregate, a stream with RocksDB.

In each, one row makes jobs/KnownBytes.java take its bytes.
"""

import json
import sys
import tempfile

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

ROWS = 1_000_000

spark = SparkSession.builder.appName("engine").getOrCreate()
spark.conf.set("spark.sql.adaptive.enabled", "false")
spark.udf.registerJavaFunction("known", "KnownBytes", "bigint")
chosen = sys.argv[1:]


def pairs(keys, *more):
    return spark.range(ROWS).select(*more, (f.col("id") % keys).alias("key"), f.expr("uuid()").alias("text"))


def known(work, row, column):
    """This column in this row, of which there is one; null in all others."""
    return f.expr(f"if({row}, known({column}, '{work}'), null)")


def known_text(work):
    """In the place of one row's text."""
    return f.coalesce(known(work, "id = 7", "id").cast("string"), f.col("text"))


def pandas_udf():
    @f.pandas_udf("string")
    def shout(texts):
        return texts.str.upper()

    texts = pairs(1000, "id").select(known_text("pandas_udf").alias("text"))
    return texts.select(shout("text").alias("text")).agg(f.max("text")).collect()


def sort_merge_join():
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", -1)
    taking = known("sort_merge_join", "key = 7", "key")
    return pairs(ROWS).join(pairs(ROWS), "key").agg(f.count("*"), f.max(taking)).collect()


def broadcast_join():
    small = spark.range(200_000).select(f.col("id").alias("key"), f.expr("uuid()").alias("name"))
    taking = known("broadcast_join", "id = 7", "id")
    return pairs(200_000, "id").join(f.broadcast(small), "key").agg(f.max("name"), f.max(taking)).collect()


def cached_aggregate():
    cached = pairs(50_000, "id").select("key", known_text("cached_aggregate").alias("text")).cache()
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
        third = "key = 7 and `count` = 12"  # each batch has four rows of a key
        taking = counts.withColumn("taking", known("stream", third, "key"))
        query = taking.writeStream.outputMode("update").format("noop").option("checkpointLocation", folder)
        started = query.start()
        while started.lastProgress is None or started.lastProgress["batchId"] < 5:
            started.awaitTermination(0.2)
        started.stop()
        return started.lastProgress["batchId"]


for name in chosen:
    globals()[name]()
spark.stop()
print("RESULT " + json.dumps(chosen))
