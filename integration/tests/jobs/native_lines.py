"""A function that keeps a block of a C++ library (argument). RESULT: the rows."""

import json
import sys

from pyspark.sql import SparkSession

BLOCK_BYTES = 5_600_029


def keep(library):
    def take(batches):
        import ctypes

        function = ctypes.CDLL(library).inlines_take
        function.restype, function.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
        for batch in batches:
            assert function(BLOCK_BYTES)  # from the library
            yield batch

    return take


if __name__ == "__main__":
    spark = SparkSession.builder.appName("native lines").getOrCreate()
    rows = spark.range(1, numPartitions=1).mapInPandas(keep(sys.argv[1]), "id long").collect()
    print("RESULT " + json.dumps([row.id for row in rows]), flush=True)
    spark.stop()
