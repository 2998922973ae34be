"""A script that is gone when its tasks run: it never lies on a cluster's hosts. Run a copy. RESULT: their bytes."""

import json
import os
import time

from pyspark.sql import SparkSession

BLOCK_BYTES = 3_800_009
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))


def hold(_):
    return len(bytearray(BLOCK_BYTES))  # held


if __name__ == "__main__":
    context = SparkSession.builder.appName("own script").getOrCreate().sparkContext
    context.parallelize(range(2), 2).count()
    time.sleep(2 * PATIENCE)  # the driver's JVM has read it
    os.unlink(__file__)
    print("RESULT", json.dumps(context.parallelize(range(2), 2).map(hold).sum()), flush=True)
    context.stop()
