"""Jobs that fail, one after the other. RESULT: of each, what the program catches."""

import ctypes
import json
import os
import signal
import subprocess
import sys
import time

import sparkmemprof.driver  # noqa: F401
from pyspark import SparkContext, TaskContext

RESERVED_BYTES = 1_500_000_011
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))

context = SparkContext()


def killed(_):
    """In the application's first second, before its executor has seen a process below it."""
    os.kill(os.getpid(), signal.SIGKILL)


def survives_then_fails(_):
    if TaskContext.get().attemptNumber() == 0:
        killed(_)
    raise ValueError("MemoryError, says the user")


def refused(_):
    return len(bytearray(RESERVED_BYTES))


def helped(_):
    """By a process that ends without a word, as those of multiprocessing do, when its executor has seen it."""
    helper = os.fork()
    if helper == 0:
        time.sleep(2.5 * PATIENCE)
        os._exit(0)
    os.waitpid(helper, 0)
    raise ValueError(f"of its own, helper {helper}")


def forked_helper_crashes(_):
    helper = os.fork()
    if helper == 0:
        ctypes.string_at(0)
    os.waitpid(helper, 0)
    raise ValueError("of its helper")


def new_helper_crashes(_):
    subprocess.run([sys.executable, "-c", "import ctypes; ctypes.string_at(0)"], check=False)
    raise ValueError("of its helper")


def ordinary(_):
    raise ValueError("no such column")


def caught(work):
    try:
        context.parallelize([0], 1).map(work).collect()
    except Exception as error:
        return {"type": type(error).__name__, "text": str(error), "notes": getattr(error, "__notes__", [])}
    return None


ways = (killed, survives_then_fails, refused, helped, forked_helper_crashes, new_helper_crashes, ordinary)
print("RESULT", json.dumps({work.__name__: caught(work) for work in ways}), flush=True)
context.stop()
