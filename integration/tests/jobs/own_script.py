"""A script that is gone when its tasks run: it never lies on a cluster's hosts. Run a copy. RESULT: their bytes."""

import json
import os

from pyspark.sql import SparkSession
from read_scripts import wait_for_reading

BLOCK_BYTES = 3_800_009


def hold(_):
    return len(bytearray(BLOCK_BYTES))  # held


if __name__ == "__main__":
    context = SparkSession.builder.appName("own script").getOrCreate().sparkContext
    context.parallelize(range(2), 2).count()
    wait_for_reading(context)
    os.unlink(__file__)
    print("RESULT", json.dumps(context.parallelize(range(2), 2).map(hold).sum()), flush=True)
    context.stop()
