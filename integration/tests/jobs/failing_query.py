"""A query whose Python worker is killed. RESULT: what the program catches."""

import json
import os
import signal

import sparkmemprof.driver  # noqa: F401
from pyspark.sql import SparkSession

spark = SparkSession.builder.getOrCreate()


def killed(batches):
    for batch in batches:
        os.kill(os.getpid(), signal.SIGKILL)
        yield batch


found = None
try:
    spark.range(1).mapInPandas(killed, "id long").toPandas()
except Exception as error:
    found = {"type": type(error).__name__, "text": str(error), "notes": getattr(error, "__notes__", [])}
print("RESULT", json.dumps(found), flush=True)
spark.stop()
