"""The first attempt of a task kills its executor's JVM, after heartbeats have told of its block.

"successor": the job goes on until the executor that comes for it has run tasks.
"""

import json
import os
import signal
import sys
import time

from pyspark import SparkContext, TaskContext

PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))


def work(_):
    block = bytearray(2_100_011)  # block
    if TaskContext.get().attemptNumber() == 0:
        time.sleep(5 * PATIENCE)
        daemon = os.getppid()
        with open(f"/proc/{daemon}/stat") as stat:
            executor = int(stat.read().rsplit(")", 1)[1].split()[1])
        os.kill(executor, signal.SIGKILL)
        time.sleep(60 * PATIENCE)
    return len(block)


def daemon(_):
    """One for each executor that has tasks."""
    time.sleep(0.3 * PATIENCE)
    return os.getppid()


sc = SparkContext(appName="killed")
print("RESULT", json.dumps(sc.parallelize([1], 1).map(work).sum()), flush=True)
end = time.monotonic() + 60 * PATIENCE
while "successor" in sys.argv and len(set(sc.parallelize(range(4), 4).map(daemon).collect())) < 2:
    assert time.monotonic() < end, "no executor has come for the killed one"
sc.stop()
