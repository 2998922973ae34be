"""mapInArrow that holds a buffer of an odd size from Arrow's default pool, written to. RESULT: the pool's name."""

import json

from pyspark.sql import SparkSession

BUFFER_BYTES = 47_654_321


def hold(batches):
    import numpy as np
    import pyarrow as pa

    for batch in batches:
        buffer = pa.allocate_buffer(BUFFER_BYTES)  # arrow buffer
        np.frombuffer(buffer, dtype=np.uint8)[:] = 1
        names = pa.array([pa.default_memory_pool().backend_name] * batch.num_rows)
        del buffer
        yield pa.RecordBatch.from_arrays([names], ["pool"])


if __name__ == "__main__":
    spark = SparkSession.builder.appName("arrow pool").getOrCreate()
    rows = spark.range(1, numPartitions=1).mapInArrow(hold, "pool string").collect()
    print("RESULT " + json.dumps([row.pool for row in rows]), flush=True)
    spark.stop()
