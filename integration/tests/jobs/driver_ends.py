"""Ends in the way that its argument says, with known bytes held by lines of the driver's own Python."""

import os
import pathlib
import signal
import sys
import tempfile
import time
import warnings

from pyspark.sql import SparkSession

HELD, OF_BATCH, OF_NUMPY, OFF_HEAP = 41_000_027, 23_000_011, 31_000_013, 19_000_003
ROWS = 6_000_011  # of 8 bytes
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))

builder = SparkSession.builder
if sys.argv[1] == "names":
    builder = builder.config("spark.memprof.source", "names")
spark = builder.getOrCreate()
held = bytearray(HELD)  # held
count = spark.sparkContext.parallelize(range(7), 1).map(lambda i: i).count()  # an action
if sys.argv[1] == "in-order":
    import numpy

    buffer = spark.sparkContext._jvm.java.nio.ByteBuffer.allocateDirect(OFF_HEAP)
    array = numpy.full(OF_NUMPY, 7, dtype="u1")  # by numpy
    kept = []

    def keep(frame, _):
        kept.append(bytearray(OF_BATCH))  # of batch
        frame.count()  # in a batch

    rows = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", "10").load()
    query = rows.writeStream.option("checkpointLocation", tempfile.mkdtemp(dir=".")).foreachBatch(keep)
    query.trigger(once=True).start().awaitTermination()
    numbers = spark.range(0, 1_000, 1, 2)  # numbers
    pairs = numbers.selectExpr("id % 7 as rest", "id as number")  # pairs
    few = numbers.limit(7).withColumnRenamed("id", "rest")  # few
    joined = pairs.join(few, "rest")  # joined
    joined.collect()  # collected
    spark.sparkContext.parallelize(range(3), 1).count()  # of an RDD after it
    numbers.groupBy((numbers.id % 7).alias("rest")).count().count()  # counted
    numbers.write.parquet("written")  # written
    numbers.show(3)  # shown
    try:
        numbers.selectExpr("raise_error('on purpose')").write.format("noop").mode("overwrite").save()  # refused
    except Exception as error:
        print(type(error).__name__)
    spark.sparkContext.setLocalProperty("callSite.short", "the user's own words")
    numbers.count()
    spark.sparkContext.setLocalProperty("callSite.short", None)
    print("RESULT", count, sys.argv[2:], flush=True)
    spark.stop()
    sys.exit(3)
if sys.argv[1] == "names":
    sys.exit(3)
if sys.argv[1] == "jvm":
    time.sleep(float(sys.argv[2]) if sys.argv[2:] else PATIENCE)
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(PATIENCE)
    os._exit(0)
if sys.argv[1] == "heap":
    text = "repeat(lpad(cast(id as string), 10, '0'), 100000)"  # 1 MB
    spark.range(0, 900, 1, 4).selectExpr("id", f"{text} as text").collect()  # full heap
# Of two processes that grow, the JVM by what it hands on, the kernel is to take this one.
pathlib.Path("/proc/self/oom_score_adj").write_text("500")
spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")
frames = []
if sys.argv[1] == "pandas-on-spark":
    warnings.simplefilter("ignore")
    os.environ["PYARROW_IGNORE_TIMEZONE"] = "1"
    import pyspark.pandas as ps

    while True:
        frames.append(ps.range(0, ROWS, 1, 1).to_numpy())  # arrays
while True:
    frames.append(spark.range(0, ROWS, 1, 1).toPandas())  # frames
