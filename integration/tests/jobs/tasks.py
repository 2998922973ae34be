"""Jobs that end in every way a task can end, on local[2], one after the other in one application.

Each takes blocks of an odd size of its own, so that the report tells them apart. Prints {name: result}.
"""

import json
import os
import pathlib
import sys
import threading
import time

from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf
from pyspark.sql.types import LongType

FOLDER = pathlib.Path(sys.argv[1])  # for news from tasks
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))


def once(numbers):
    block = bytearray(1_000_003)  # once
    return [len(block) + sum(numbers)]


def in_shuffle_map(number):
    block = bytearray(1_100_009)  # shuffle map
    return number % 2, len(block)


@pandas_udf(LongType())
def in_pandas_udf(ids):
    block = bytearray(1_200_007)  # pandas_udf
    return ids + len(block)


def in_group(group):
    block = bytearray(1_300_021)  # group
    return group.assign(id=len(block)).head(1)


def raises(batches):
    for batch in batches:
        block = bytearray(1_400_017)  # raises
        yield batch
        raise ValueError(f"on purpose, holding {len(block)} bytes")


def never_ends(numbers):
    block = bytearray(1_500_007)  # never ends
    (FOLDER / f"started-{TaskContext.get().taskAttemptId()}").write_text(str(len(block)))
    time.sleep(600)
    return numbers


def first(batches):
    for batch in batches:
        block = bytearray(1_600_033)  # first
        yield batch.assign(id=batch["id"] + len(block))
        time.sleep(0.5 * PATIENCE)  # the second function begins meanwhile: two that did not meet held nothing together
        del block


def second(batches):
    for batch in batches:
        block = bytearray(1_700_021)  # second
        time.sleep(0.5 * PATIENCE)
        yield batch.assign(id=batch["id"] + len(block))
        del block


def coalesced(batches):
    for batch in batches:
        block = bytearray(2_300_023)  # coalesced
        yield batch.assign(id=batch["id"] + len(block))


def many_batches(batches):
    for batch in batches:
        block = bytearray(1_800_017)  # limited
        yield batch.assign(id=batch["id"] + len(block))


def after_the_limit(batches):
    for batch in batches:
        block = bytearray(1_900_009)  # after the limit
        yield batch.assign(id=batch["id"] + len(block))


def beside(batches):
    for batch in batches:
        block = bytearray(2_000_003)  # beside
        time.sleep(0.2 * PATIENCE)
        yield batch.assign(id=batch["id"] + len(block))


def failure_of(action):
    try:
        action()
    except Exception as error:
        return type(error).__name__
    return "none"


def cancelled(sc, tasks):
    """Starts a job of so many tasks, and cancels it when all of them hold their blocks."""
    outcome = []

    def work():
        sc.setJobGroup("to be cancelled", "", interruptOnCancel=True)
        outcome.append(failure_of(sc.parallelize(range(tasks), tasks).mapPartitions(never_ends).collect))

    thread = threading.Thread(target=work)
    thread.start()
    while len(list(FOLDER.glob("started-*"))) < tasks:
        time.sleep(0.05)
    sc.cancelAllJobs()
    thread.join()
    return outcome[0]


def at_once(*actions):
    results = [None] * len(actions)

    def run(index):
        results[index] = actions[index]()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def total(frame):
    return frame.groupBy().sum().collect()[0][0]


def cached(spark):
    """A table that the executors hold on their heaps when its tasks are over; its bytes, by Spark's own account."""
    table = spark.range(0, 1_200_000, 1, 2).selectExpr("id", "uuid() as name").cache()
    table.count()
    # The whole heap is marked: only now is it known what is retained.
    spark.range(0, 2, 1, 2).selectExpr("java_method('java.lang.System', 'gc')").collect()
    time.sleep(2 * PATIENCE)  # what the executor has learnt of it is on its way
    return sum(info.memSize() for info in spark.sparkContext._jsc.sc().getRDDStorageInfo())


def main():
    spark = SparkSession.builder.appName("tasks").getOrCreate()
    sc = spark.sparkContext
    ids = spark.range(0, 4_000, 1, 4)
    two_batches = spark.range(0, 80_000, 1, 4)  # a task; a worker holds less back of its output
    results = {
        "once": sc.parallelize(range(70), 7).mapPartitions(once).sum(),
        "shuffle map": sorted(sc.parallelize(range(6), 3).map(in_shuffle_map).groupByKey(2).mapValues(len).collect()),
        "pandas_udf": total(ids.select(in_pandas_udf("id").alias("id"))),
        "group": total(ids.selectExpr("id", "id % 2 as k").groupBy("k").applyInPandas(in_group, "id long, k long")),
        "raises": failure_of(spark.range(0, 10, 1, 1).mapInPandas(raises, "id long").collect),
        "never ends": cancelled(sc, 2),
        "chained": total(two_batches.mapInPandas(first, "id long").mapInPandas(second, "id long")),
        "coalesced": total(spark.range(0, 800, 1, 8).mapInPandas(coalesced, "id long").coalesce(1)),
        "beside": at_once(
            lambda: total(spark.range(0, 2_000, 1, 2).mapInPandas(beside, "id long")),
            lambda: total(spark.range(0, 2_000, 1, 2).mapInPandas(after_the_limit, "id long")),
        ),
    }
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
    limited = spark.range(0, 10_000_000, 1, 1).mapInPandas(many_batches, "id long")
    results["limited"] = limited.limit(3).collect()[2][0]
    results["cached"] = cached(spark)
    results["after the limit"] = total(ids.limit(7).mapInPandas(after_the_limit, "id long"))
    print("RESULT", json.dumps(results), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
