"""Jobs whose processes die, in the ways that the first argument names. Prints what became of them behind RESULT."""

import contextlib
import ctypes
import itertools
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time

from executors import wait_for_an_end
from pyspark import StorageLevel, TaskContext
from pyspark.sql import SparkSession

SCRATCH_BYTES = 1_299_999_989  # more than the container has
HELD_BYTES = 61_999_993
LEFT_BYTES = 41_999_989
RESERVED_BYTES = 1_500_000_011
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))


def first_attempt():
    return TaskContext.get().attemptNumber() == 0


def scratch(library):
    """The native library of a user, called on the first attempt only: the job itself goes on."""
    fill = ctypes.CDLL(library).fill_scratch
    fill.argtypes, fill.restype = [ctypes.c_uint64], ctypes.c_uint64

    def enrich(batches):
        for batch in batches:
            if first_attempt():
                fill(SCRATCH_BYTES)  # scratch
            yield batch

    return enrich


def in_worker(spark, library):
    def enrich(batches):
        yield from scratch(library)(batches)

    return spark.range(0, 1000, 1, 1).mapInPandas(enrich, "id long").count()


def crash(spark, _):
    """The worker is killed by its own hand, with little memory in use. The task before has left something in it."""

    def remember(batches):
        import builtins  # a module that the next task's function finds as it was

        builtins.left = bytearray(LEFT_BYTES)  # left
        yield from batches

    def enrich(batches):
        for batch in batches:
            held = bytearray(HELD_BYTES)  # held
            if first_attempt():
                time.sleep(PATIENCE)
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch.assign(id=batch["id"] + len(held) * 0)

    spark.range(0, 1000, 1, 1).mapInPandas(remember, "id long").count()
    return spark.range(0, 1000, 1, 1).mapInPandas(enrich, "id long").count()


def native_crashes(spark, library):
    """A segmentation fault in a user's library, then an abort; each at once, on the first attempt of its task."""

    def load():
        crash = ctypes.CDLL(library)
        crash.crash_here.argtypes = [ctypes.c_void_p]
        return crash

    def faults(batches):
        for batch in batches:
            if first_attempt():
                load().crash_here(None)  # fault
            yield batch

    def aborts(index):
        if first_attempt():
            load().abort_here()  # abort
        return index

    counted = spark.range(0, 1000, 1, 1).mapInPandas(faults, "id long").count()
    return counted + spark.sparkContext.parallelize([1, 2, 3], 1).map(aborts).count()


def refused(spark, _):
    """numpy reserves more than the worker's address space has left, and touches none of it."""

    def reserve(batches):
        import numpy as np

        for batch in batches:
            block = np.empty(RESERVED_BYTES, dtype="u1")  # refused
            yield batch.assign(id=batch["id"] + len(block) * 0)

    try:
        return spark.range(0, 1000, 1, 1).mapInPandas(reserve, "id long").count()
    except Exception as error:
        return "MemoryError" in str(error)


def refused_objects(spark, _):
    """Small objects, until the interpreter is refused room for more of them."""

    def fill(numbers):
        chain = None
        try:
            for number in itertools.count(1_000):
                chain = (chain, number)  # refused object
        except MemoryError:
            chain = None  # PySpark needs room to tell of it
            raise

    try:
        return spark.sparkContext.parallelize([0], 1).mapPartitions(fill).count()
    except Exception as error:
        return "MemoryError" in str(error)


def direct(spark, bytes_):
    """A task in Java wants a direct buffer that is larger than their bound."""
    got = spark.sparkContext._jvm.DirectHog.run(spark.sparkContext._jsc, int(bytes_))
    if got == 0:
        wait_for_an_end(spark)
    return got


def beside(spark):
    """A Python worker that holds what it has until its executor is gone."""

    here = pathlib.Path(tempfile.mkdtemp(), "here")

    def hold(_):
        held = bytearray(HELD_BYTES)  # beside
        held[::4096] = b"x" * len(held[::4096])
        here.touch()
        time.sleep(120 * PATIENCE)
        return len(held)

    def run():
        with contextlib.suppress(Exception):  # it is lost with its executor
            spark.sparkContext.parallelize([0], 1).map(hold).count()

    threading.Thread(target=run, daemon=True).start()
    while not here.exists():
        time.sleep(0.1)
    shutil.rmtree(here.parent)
    time.sleep(5 * PATIENCE)  # it has told of itself


def in_jvm(spark, tasks):
    """An off-heap cache larger than the container; it is dropped as soon as an executor died of it."""
    if tasks == "beside":
        tasks = 4
        beside(spark)
    columns = [f"xxhash64(id, {seed}) as c{seed}" for seed in range(8)]  # quickly made, and not to be compressed
    rows = spark.range(0, 24_000_000, 1, int(tasks)).selectExpr(*columns)
    try:
        return rows.persist(StorageLevel.OFF_HEAP).count()
    except Exception as lost:  # the tasks fail for good: what counts is why
        return str(type(lost).__name__)


def main():
    spark = SparkSession.builder.appName("deaths").getOrCreate()
    ways = {
        "in-worker": in_worker,
        "in-jvm": in_jvm,
        "crash": crash,
        "native": native_crashes,
        "refused": refused,
        "refused objects": refused_objects,
        "direct": direct,
    }
    results = [ways[name](spark, *sys.argv[2:3] or [None]) for name in sys.argv[1].split(",")]
    print("RESULT", json.dumps(results if len(results) > 1 else results[0]), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
