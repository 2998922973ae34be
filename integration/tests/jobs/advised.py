"""Jobs that one setting lets pass or not, in the way that the first argument names. RESULT: what came of it."""

import json
import os
import sys
import time

from pyspark.sql import SparkSession

BLOCK_BYTES, BLOCKS = 5_100_013, 60  # 306 MB a task
TASKS = 4
ROWS, LETTERS = 10_000, 25_000  # 250 MB a batch of as many rows as Spark sends by default
BATCH, BATCH_ROWS = "spark.sql.execution.arrow.maxRecordsPerBatch", 9_999
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))


def at_once(spark):
    """Tasks that grow together: how many of them at once is spark.executor.cores."""

    def grow(_):
        blocks = []
        for _ in range(BLOCKS):
            blocks.append(bytearray(b"x") * BLOCK_BYTES)  # of a task
            time.sleep(0.02)
        time.sleep(3 * PATIENCE)
        return len(blocks)

    return spark.sparkContext.parallelize(range(TASKS), TASKS).map(grow).sum()


def in_batches(spark):
    """A function that makes more of what came: how many rows come at once is Arrow's batch size."""
    letters = "xy" if spark.version < "4" else "x"  # Spark 4 itself holds up to three times what it sends

    def lengths(batch):
        more = [batch["text"] + letter for letter in letters]  # of a batch
        time.sleep(PATIENCE)
        return batch[["id"]].assign(letters=more[0].str.len())

    def lengthen(batches):
        for batch in batches:
            yield lengths(batch)  # which holds nothing while the next one comes

    if spark.conf.get(BATCH) == "10000":  # nobody asked for another
        spark.conf.set(BATCH, BATCH_ROWS)
    rows = spark.range(0, ROWS, 1, 1).selectExpr("id", f"repeat('x', {LETTERS}) as text")
    return rows.mapInPandas(lengthen, "id long, letters long").selectExpr("sum(letters)").first()[0]


def main():
    spark = SparkSession.builder.appName("advised").getOrCreate()
    way = {"at-once": at_once, "in-batches": in_batches}[sys.argv[1]]
    print("RESULT", json.dumps(way(spark)), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
