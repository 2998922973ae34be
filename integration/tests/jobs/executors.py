"""What jobs ask about the executors of their cluster."""

import os
import time

PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))
SECONDS = 120 * PATIENCE


def wait_for_an_end(spark):
    """Until one of the two first executors is gone: a retry may be done before the executor that failed is gone.

    An executor takes up to half a minute to end, and longer on a busy machine; another one comes in its place.
    """
    context = spark.sparkContext._jsc.sc()
    end = time.monotonic() + SECONDS
    while {"0", "1"} <= set(context.getExecutorIds().mkString(",").split(",")) and time.monotonic() < end:
        time.sleep(0.2)
    time.sleep(8 * PATIENCE)  # what tells of it is a little later
