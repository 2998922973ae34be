"""mapInPandas that holds a polars column of an odd length, in the allocator that polars brings. RESULT: its bytes."""

import json
import time

from pyspark.sql import SparkSession

ROWS = 7_654_321


def hold(batches):
    import polars

    for batch in batches:
        column = polars.Series("odd", range(ROWS), dtype=polars.Int64)  # polars column
        batch["bytes"] = column.to_frame().estimated_size()
        del column
        time.sleep(1)  # polars' allocator gives the pages back after half a second, from a thread of its own
        yield batch


if __name__ == "__main__":
    spark = SparkSession.builder.appName("polars pool").getOrCreate()
    rows = spark.range(1, numPartitions=1).mapInPandas(hold, "id long, bytes long").collect()
    print("RESULT " + json.dumps([row.bytes for row in rows]), flush=True)
    spark.stop()
