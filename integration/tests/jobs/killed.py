"""The first attempt of a task kills its executor's JVM, after heartbeats have told of its block."""

import json
import os
import signal
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


sc = SparkContext(appName="killed")
print("RESULT", json.dumps(sc.parallelize([1], 1).map(work).sum()), flush=True)
end = time.monotonic() + 60 * PATIENCE
while (
    len(sc._jsc.sc().statusTracker().getExecutorInfos()) < 3
):  # the driver, the other one, and the killed one's successor
    assert time.monotonic() < end, "no other executor has come"
    time.sleep(0.1)
sc.stop()
