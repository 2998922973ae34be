"""Three tasks of one reused worker: two take a buffer of Arrow's pool and give it back, the third keeps its own.

RESULT: of each, the name of the pool and the worker's process.
"""

import json

from pyspark.sql import SparkSession

LARGE_BYTES = 47_654_321
SMALL_BYTES = 5_432_109
KEPT_BYTES = 7_654_321


def taking(size, keeps):
    def take(batches):
        import os

        import pyarrow as pa

        for batch in batches:
            buffer = pa.allocate_buffer(size)
            if keeps:
                pa.kept_by_the_test = buffer  # the module outlives the task
            del buffer
            pool = pa.default_memory_pool().backend_name
            columns = [pa.array([value] * batch.num_rows) for value in (pool, os.getpid())]
            yield pa.RecordBatch.from_arrays(columns, ["pool", "pid"])

    return take


if __name__ == "__main__":
    spark = SparkSession.builder.appName("arrow tasks").getOrCreate()
    rows = []
    for size, keeps in ((LARGE_BYTES, False), (SMALL_BYTES, False), (KEPT_BYTES, True)):
        rows += spark.range(1, numPartitions=1).mapInArrow(taking(size, keeps), "pool string, pid long").collect()
    print("RESULT " + json.dumps([[row.pool, row.pid] for row in rows]), flush=True)
    spark.stop()
