"""A mapInPandas whose helper's library takes a large scratch buffer. Prints the result as JSON in the last line."""

import json
import sys

import pandas as pd
from pyspark.sql import SparkSession

SIZE = int(sys.argv[1])


def aggregate(batches):
    from helper import with_scratch

    total = sum(float(batch["id"].sum()) for batch in batches)
    yield pd.DataFrame({"total": [with_scratch(SIZE, total)]})


def main():
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.python.daemon.module", "sparkmemprof.daemon").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    rows = spark.range(0, 100_000, numPartitions=2).mapInPandas(aggregate, "total double").collect()
    print(json.dumps(sorted(row.total for row in rows)), flush=True)
    spark.stop()


main()
