"""A driver that runs out of heap in the way that the argument names; "toPandas in 64": after a repartition.

RESULT: what its user got, or the error's first words, its notes and more. With a second argument the error ends the
program: no stop. Its Python is profiled where the package is on the path.
"""

import contextlib
import json
import os
import sys
import time

from pyspark.sql import SparkSession

with contextlib.suppress(ImportError):
    import sparkmemprof.driver  # noqa: F401

ROWS = 700
TEXT = "repeat(lpad(cast(id as string), 10, '0'), 100000)"  # 1 MB, and next to nothing compressed
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))


def rows(spark):
    return spark.range(0, ROWS, 1, 4).selectExpr("id", f"{TEXT} as text")  # built


def collected(spark):
    return len(rows(spark).collect())  # collected


def to_pandas(spark):
    return len(rows(spark).toPandas())  # to pandas


def to_pandas_in_parts(spark, parts):
    return len(rows(spark).repartition(parts).toPandas())


def joined(spark):
    # Spark takes the texts for 20 bytes each, as it does with all that it computes, and chooses to broadcast them.
    joined = spark.range(10).join(rows(spark), "id", "left")
    return joined.selectExpr("sum(length(text))").collect()[0][0]  # joined


if __name__ == "__main__":
    spark = SparkSession.builder.appName("driver heap").getOrCreate()
    try:
        ways = {
            "collect": collected,
            "toPandas": to_pandas,
            "broadcast": joined,
        }
        way, _, parts = sys.argv[1].partition(" in ")
        result = to_pandas_in_parts(spark, int(parts)) if parts else ways[way](spark)
    except Exception as error:
        if sys.argv[2:]:
            raise
        result = {
            "error": f"{type(error).__name__}: {error}"[:300],
            "notes": getattr(error, "__notes__", []),
        }
    print("RESULT " + json.dumps(result), flush=True)
    time.sleep(6 * PATIENCE)  # post-mortems come a little later
    spark.stop()
