"""The first attempt of a task kills its executor's JVM, after heartbeats have told of its block.

"successor": the job goes on until the executor that comes for it has run tasks, and the killed one's black boxes are
gone.
"""

import json
import os
import pathlib
import signal
import sys
import tempfile
import threading
import time

from pyspark import SparkContext, TaskContext
from reported import await_report, sites_of

PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))
BLOCK_BYTES = 2_100_011
# That the driver knows of the block, and of the processes of its executor.
told = pathlib.Path(tempfile.mkdtemp(dir="."), "told").resolve()


def work(_):
    block = bytearray(BLOCK_BYTES)  # block
    if TaskContext.get().attemptNumber() == 0:
        end = time.monotonic() + 60 * PATIENCE
        while not told.exists() and time.monotonic() < end:
            time.sleep(0.1)
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


def knows_it(report):
    held = any(site["origin"] == "python" and site["allocatedBytes"] > BLOCK_BYTES for site in sites_of(report))
    seen = [process["kind"] for executor in report["executors"] for process in executor["processes"]]
    return held and "python-worker" in seen


def wait_for_news():
    await_report(sc, knows_it, "the block and who holds it")
    told.touch()


def boxes_of_the_dead(folder):
    """Black boxes whose process, named by its pid, is gone."""
    return [box for box in pathlib.Path(folder).rglob("*.box") if not os.path.exists(f"/proc/{box.name.split('+')[4]}")]


sc = SparkContext(appName="killed")
threading.Thread(target=wait_for_news, daemon=True).start()
print("RESULT", json.dumps(sc.parallelize([1], 1).map(work).sum()), flush=True)
end = time.monotonic() + 60 * PATIENCE
while "successor" in sys.argv and len(set(sc.parallelize(range(4), 4).map(daemon).collect())) < 2:
    assert time.monotonic() < end, "no executor has come for the killed one"
while "successor" in sys.argv and boxes_of_the_dead(sc.getConf().get("spark.memprof.box.dir")):
    assert time.monotonic() < end, "the executors that live leave the killed one's boxes"
    time.sleep(0.2)
sc.stop()
