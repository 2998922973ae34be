"""Jobs that fill their container in the way that the first argument names; the second is a folder for notes, the others
are settings, KEY=VALUE, of the session's own, which stand above what spark-submit has set.

RESULT: what came of it.
"""

import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

from pyspark import TaskContext
from pyspark.sql import SparkSession

BLOCK_BYTES = 5_100_013
MOST_BLOCKS = 90  # of one worker: 459 MB, less than a quarter of the container
ALONE_BLOCKS = 130
WORKERS = 4
NEARLY_FULL = 0.93
FILE_BYTES = 1_500_000_000  # more than the container has room for
TWICE_BYTES = 300_000_000  # read twice: the kernel takes such pages for active ones
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))
PATIENCE_SECONDS = 60 * PATIENCE


def memory_cgroup(pid):
    """The folder of a process's memory cgroup (version 1)."""
    own = re.search(r"^\d+:(?:\w+,)*memory(?:,\w+)*:(.*)$", pathlib.Path(f"/proc/{pid}/cgroup").read_text(), re.M)
    mounts = map(str.split, pathlib.Path("/proc/self/mounts").read_text().splitlines())
    (point,) = [words[1] for words in mounts if words[2] == "cgroup" and "memory" in words[3].split(",")]
    return pathlib.Path(point + own[1])


def executor_pid():
    """Of the executor's JVM, which started the daemon that forked this worker."""
    stat = pathlib.Path(f"/proc/{os.getppid()}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[1])


def in_use(container):
    """Bytes, without what the kernel would give back."""
    idle = re.search(r"^total_inactive_file (\d+)$", (container / "memory.stat").read_text(), re.M)
    return int((container / "memory.usage_in_bytes").read_text()) - int(idle[1])


def wait_for(condition):
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition() and time.monotonic() < end:
        time.sleep(0.2)


def page_cache(context, notes):
    """A file is read twice, and another one until the container is full of both; then somebody kills the executor."""

    def read_file(path, size):
        if not path.exists():
            with path.open("wb") as file:
                file.truncate(size)
        with path.open("rb", buffering=0) as file:
            while file.read(1 << 20):
                pass

    def read(_):
        held = bytearray(BLOCK_BYTES)  # read
        if TaskContext.get().attemptNumber() == 0:
            for name, size in (("twice", TWICE_BYTES), ("twice", TWICE_BYTES), ("large", FILE_BYTES)):
                read_file(notes / name, size)
            time.sleep(2 * PATIENCE)  # the watcher has seen it, and the executor's heartbeat has been sent
            container = memory_cgroup(os.getpid())
            (notes / "used").write_text((container / "memory.usage_in_bytes").read_text())
            (notes / "stat").write_text((container / "memory.stat").read_text())
            os.kill(executor_pid(), signal.SIGKILL)
            time.sleep(PATIENCE_SECONDS)
        return len(held)

    return context.parallelize([0], 1).map(read).sum()


def together(context, notes):
    """Workers that grow together, none of them too large alone; on their first attempts only."""

    def grow(_):
        blocks = []
        if TaskContext.get().attemptNumber() == 0:
            # Of processes that are as large, the kernel is to take one of these.
            pathlib.Path("/proc/self/oom_score_adj").write_text("500")
            (notes / f"{os.getpid()}.here").touch()
            end = time.monotonic() + PATIENCE_SECONDS
            while len(list(notes.glob("*.here"))) < WORKERS and time.monotonic() < end:
                time.sleep(0.01)
            while len(blocks) < MOST_BLOCKS:
                blocks.append(bytearray(b"x") * BLOCK_BYTES)  # grown
                time.sleep(0.05)
            time.sleep(3 * PATIENCE)
        return len(blocks)

    return context.parallelize(range(WORKERS), WORKERS).map(grow).collect()


def alone(context, _):
    """One worker that grows; it outgrows the container unless that is larger than Spark's defaults make it."""

    def grow(_):
        blocks = []
        for _ in range(ALONE_BLOCKS):
            blocks.append(bytearray(b"x") * BLOCK_BYTES)  # grown alone
            time.sleep(0.02)
        time.sleep(3 * PATIENCE)
        return len(blocks)

    return context.parallelize([0], 1).map(grow).sum()


def program(context, _):
    """A program that a task starts keeps what it reads until a line ends, and none does; the task fails with it."""
    grow = "while head -c 50000000 /dev/zero; do sleep 0.1; done | tail"

    def run(_):
        if TaskContext.get().attemptNumber() == 0:
            subprocess.run(["sh", "-c", grow], check=True, stdout=subprocess.DEVNULL)
        return 1

    return context.parallelize([0], 1).map(run).sum()


def idle(context, _):
    """Executors are let go while the application goes on."""

    def hold(_):
        return len(bytearray(BLOCK_BYTES))  # let go

    held = context.parallelize(range(2), 2).map(hold).collect()
    jvm_context = context._jsc.sc()
    wait_for(lambda: jvm_context.getExecutorIds().size() == 0)
    return held


def gone(context, notes):
    """A worker grows until its container is nearly full; then all that runs there is killed, and its disk is gone."""

    def grow(_):
        container, blocks = memory_cgroup(os.getpid()), []
        limit = int((container / "memory.limit_in_bytes").read_text())
        while in_use(container) < NEARLY_FULL * limit:
            blocks.append(bytearray(b"x") * BLOCK_BYTES)  # grown and gone
            time.sleep(0.01)
        (notes / "draft").write_text(json.dumps([str(container), len(blocks)]))
        (notes / "draft").rename(notes / "full")
        time.sleep(PATIENCE_SECONDS)

    threading.Thread(target=lambda: context.parallelize([0], 1).map(grow).count(), daemon=True).start()
    wait_for((notes / "full").exists)
    container, blocks = json.loads((notes / "full").read_text())
    time.sleep(2 * PATIENCE)  # what was said early has come
    shutil.rmtree(context.getConf().get("spark.memprof.box.dir"))
    while pids := (pathlib.Path(container) / "cgroup.procs").read_text().split():
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
    wait_for(lambda: context._jsc.sc().getExecutorIds().size() == 0)
    time.sleep(PATIENCE)  # Spark forgets an executor before it tells its listeners so
    return blocks


def main():
    builder = SparkSession.builder.appName("containers")
    for setting in sys.argv[3:]:
        builder = builder.config(*setting.split("=", 1))
    context = builder.getOrCreate().sparkContext
    ways = {
        "page-cache": page_cache,
        "together": together,
        "alone": alone,
        "program": program,
        "idle": idle,
        "gone": gone,
    }
    print("RESULT", json.dumps(ways[sys.argv[1]](context, pathlib.Path(sys.argv[2]))), flush=True)
    context.stop()


if __name__ == "__main__":
    main()
