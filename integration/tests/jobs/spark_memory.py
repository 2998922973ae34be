"""Fills Spark's own memory: a block that is unrolled slowly, cached blocks, a broadcast variable, and a sort for which
that leaves too little.

Prints what Spark itself says of them: cached blocks by name, and the spills of each stage.
"""

import json
import os
import sys
import time

from pyspark import StorageLevel
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

BLOCK, BLOCKS = 3_000_017, 7
VALUE = 5_300_021
SLOW_ROWS, SLOW_BYTES = 40, 300_007
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))
ROWS = 500_000

spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext
level = StorageLevel.OFF_HEAP if "off-heap" in sys.argv else StorageLevel.MEMORY_ONLY


def slowly(_):
    for _ in range(SLOW_ROWS):
        time.sleep(0.05 * PATIENCE)
        yield os.urandom(SLOW_BYTES)


slow = sc.parallelize([0], 1).flatMap(slowly).setName("slow").persist(level)
slow.count()
slow.unpersist(blocking=True)

orders = sc.parallelize(range(BLOCKS), BLOCKS).map(lambda _: os.urandom(BLOCK)).setName("orders").persist(level)
orders.count()
spark.range(0, 300_007, 1, 3).createOrReplaceTempView("clicks")
spark.catalog.cacheTable("clicks")
spark.table("clicks").count()
value = sc.broadcast(os.urandom(VALUE))
sc.parallelize(range(2), 2).map(lambda _: len(value.value)).sum()

text = F.expr("repeat(cast(id as string), 30)").alias("text")
rows = spark.range(0, ROWS, 1, 2).select(F.hash("id").alias("key"), text)
rows.sortWithinPartitions("key").write.format("noop").mode("overwrite").save()

stages = {}
sc._jsc.sc().listenerBus().waitUntilEmpty(60_000)  # else the store may not know the last stage's end yet
store = sc._jsc.sc().statusStore()
while True:
    try:
        stage = store.lastStageAttempt(len(stages))
    except Exception:
        break
    stages[len(stages)] = [stage.memoryBytesSpilled(), stage.diskBytesSpilled(), stage.peakExecutionMemory()]
infos = sc._jsc.sc().getRDDStorageInfo()
cached = {info.name(): [info.memSize(), info.diskSize(), info.numCachedPartitions()] for info in infos}
print("RESULT", json.dumps({"stages": stages, "cached": cached}), flush=True)
spark.stop()
