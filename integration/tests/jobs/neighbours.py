"""A task holds a known block until the file "go" is in the folder of the first argument; a second stage follows.

RESULT: the sum of both stages' lengths.
"""

import json
import os
import pathlib
import sys
import time

from pyspark.sql import SparkSession

BLOCK_BYTES = 7_100_003
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))
PATIENCE_SECONDS = 90 * PATIENCE


def main():
    folder, name = pathlib.Path(sys.argv[1]), sys.argv[2]

    def hold(_):
        held = bytearray(BLOCK_BYTES)  # held
        (folder / f"{name}.new").write_text(str(os.getppid()))  # of the worker's daemon
        (folder / f"{name}.new").rename(folder / f"{name}.here")
        end = time.monotonic() + PATIENCE_SECONDS
        while not (folder / "go").exists() and time.monotonic() < end:
            time.sleep(0.05)
        time.sleep(7 * PATIENCE)  # an interim profile, for which boxes are looked through, is due every five seconds
        return len(held)

    spark = SparkSession.builder.appName(name).getOrCreate()
    first = spark.sparkContext.parallelize([0], 1).map(hold).sum()
    second = spark.sparkContext.parallelize([0], 1).map(lambda _: len(bytearray(BLOCK_BYTES))).sum()
    print("RESULT", json.dumps(first + second), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
