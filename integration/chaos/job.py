"""Tasks that hold known blocks and may be killed at any moment. Arguments: a folder, which is the truth about them.

While a task holds its block, `<folder>/<pid>` says which; a file `<pid>.<task>.eat` there makes it take memory until it
is stopped, or as much as is written in that file; then `<pid>` says "full". The job ends at the end of a wave once
`<folder>/stop` is there, and prints behind RESULT how many rows came through.
"""

import json
import os
import pathlib
import random
import sys
import time

from pyspark import TaskContext
from pyspark.sql import SparkSession

TASKS = 8
ROWS = 1000
MOST_SECONDS = 1.5
EATEN_BYTES = 33_000_017
FULL_SECONDS = 20  # in which it is killed


def small():
    return bytearray(40_000_003)  # small


def medium():
    return bytearray(70_000_011)  # medium


def large():
    return bytearray(110_000_017)  # large


HOLDERS = [small, medium, large]


def executor_of(pid):
    """(id, pid) of the executor's JVM, which started the daemon that forked this worker."""
    daemon = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    jvm = int(pathlib.Path(f"/proc/{daemon}/stat").read_text().rpartition(")")[2].split()[1])
    words = pathlib.Path(f"/proc/{jvm}/cmdline").read_text().split("\0")
    return words[words.index("--executor-id") + 1], jvm


def wait(wanted, seconds):
    """Until somebody wants memory to be taken, or the time is over. True: somebody wants."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if wanted.exists():
            return True
        time.sleep(0.01)
    return False


def hold(folder):
    def held(batches):
        task = TaskContext.get()
        holder = HOLDERS[task.partitionId() % len(HOLDERS)]
        note = folder / str(os.getpid())
        for batch in batches:
            block = holder()
            executor, jvm = executor_of(os.getpid())
            said = {"task": task.taskAttemptId(), "executor": executor, "jvm": jvm}
            draft = note.with_suffix(".draft")
            draft.write_text(json.dumps({**said, "held": holder.__name__, "bytes": len(block) + 1}))
            draft.rename(note)
            wanted = folder / f"{os.getpid()}.{task.taskAttemptId()}.eat"
            if wait(wanted, random.uniform(0.3, MOST_SECONDS)):
                most = int(wanted.read_text() or "0")
                eaten = []
                while most == 0 or len(eaten) * EATEN_BYTES < most:
                    eaten.append(bytearray(b"x") * EATEN_BYTES)  # eaten
                draft.write_text(json.dumps({**said, "held": "full", "bytes": len(eaten) * EATEN_BYTES}))
                draft.rename(note)
                time.sleep(FULL_SECONDS)
            note.unlink()
            yield batch

    return held


def main():
    folder = pathlib.Path(sys.argv[1])
    spark = SparkSession.builder.appName("chaos").getOrCreate()
    rows = waves = 0
    while not (folder / "stop").exists():
        rows += spark.range(0, ROWS, 1, TASKS).mapInPandas(hold(folder), "id long").count()
        waves += 1
    print("RESULT", json.dumps({"rows": rows, "waves": waves}), flush=True)


if __name__ == "__main__":
    main()
