"""The demo job: a weighted average per group over a parquet data set, through mapInPandas and a native library.

It knows nothing of sparkmemprof.

    job.py DATA CPP_LIBRARY [RUST_LIBRARY]
"""

import os
import sys

import numpy as np
import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

DATA, CPP_LIBRARY = sys.argv[1:3]
RUST_LIBRARY = sys.argv[3] if len(sys.argv) > 3 else None


def aggregate(batches):
    import averages

    for batch in batches:
        values = np.ascontiguousarray(batch["price"], dtype=np.float64)
        weights = np.ascontiguousarray(batch["quantity"], dtype=np.float64)
        average = averages.with_cpp(CPP_LIBRARY, values, weights)
        yield pd.DataFrame({"average": [average], "rows": [len(batch)]})


def aggregate_rust(batches):
    import averages

    for batch in batches:
        values = np.ascontiguousarray(batch["price"], dtype=np.float64)
        weights = np.ascontiguousarray(batch["quantity"], dtype=np.float64)
        average = averages.with_rust(RUST_LIBRARY, values, weights)
        yield pd.DataFrame({"average": [average], "rows": [len(batch)]})


def main():
    spark = SparkSession.builder.appName("weighted average").getOrCreate()
    spark.sparkContext.addPyFile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "averages.py"))
    if not os.path.exists(DATA):
        rows = spark.range(0, 200_000, numPartitions=4)
        rows.select(
            (F.col("id") % 1000).cast("double").alias("price"), (F.col("id") % 7 + 1).cast("double").alias("quantity")
        ).write.parquet(DATA)
    sales = spark.read.parquet(DATA)
    for function, library in ((aggregate, CPP_LIBRARY), (aggregate_rust, RUST_LIBRARY)):
        if library:
            averages = sales.mapInPandas(function, "average double, rows long").collect()
            rows = sum(row["rows"] for row in averages)
            average = sum(row["average"] * row["rows"] for row in averages) / rows
            print(f"{function.__name__}: {average:.4f} over {rows} rows")
    spark.stop()


if __name__ == "__main__":
    main()
