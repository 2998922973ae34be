"""The first attempt of a task kills its executor's JVM, after heartbeats have told of its block.

"successor": the job goes on until the executor that comes for it has run tasks, and the killed one's black boxes are
gone.
"""

import json
import os
import pathlib
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


def boxes_of_the_dead(folder):
    """Black boxes whose process, named by its pid, is gone."""
    return [box for box in pathlib.Path(folder).rglob("*.box") if not os.path.exists(f"/proc/{box.name.split('+')[4]}")]


sc = SparkContext(appName="killed")
print("RESULT", json.dumps(sc.parallelize([1], 1).map(work).sum()), flush=True)
end = time.monotonic() + 60 * PATIENCE
while "successor" in sys.argv and len(set(sc.parallelize(range(4), 4).map(daemon).collect())) < 2:
    assert time.monotonic() < end, "no executor has come for the killed one"
while "successor" in sys.argv and boxes_of_the_dead(sc.getConf().get("spark.memprof.box.dir")):
    assert time.monotonic() < end, "the executors that live leave the killed one's boxes"
    time.sleep(0.2)
sc.stop()
