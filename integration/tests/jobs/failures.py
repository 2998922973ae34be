"""Jobs that fail, one after the other. RESULT: of each, what the program catches."""

import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

import sparkmemprof.driver  # noqa: F401
from pyspark import SparkContext, TaskContext
from reported import report_of

RESERVED_BYTES = 1_500_000_011
HELPER_BYTES = 150_000_001  # so much that its executor tells of it at once
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))

context = SparkContext()
# Of helpers, by their pids: that one is there, and that its executor has seen it.
notes = pathlib.Path(tempfile.mkdtemp(dir=".")).resolve()


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
        held = bytearray(b"x") * HELPER_BYTES
        (notes / f"{os.getpid()}.here").touch()
        end = time.monotonic() + 60 * PATIENCE
        while not (notes / f"{os.getpid()}.seen").exists() and time.monotonic() < end:
            time.sleep(0.1)
        del held
        os._exit(0)
    os.waitpid(helper, 0)
    raise ValueError(f"of its own, helper {helper}")


over = threading.Event()


def say_who_is_seen():
    """Until it is over."""
    while not over.wait(0.2):
        here = {path.stem for path in notes.glob("*.here") if not path.with_suffix(".seen").exists()}
        if here:
            executors = report_of(context)["executors"]
            seen = {str(process["pid"]) for executor in executors for process in executor["processes"]}
            for pid in here & seen:
                (notes / f"{pid}.seen").touch()


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


saying = threading.Thread(target=say_who_is_seen, daemon=True)
saying.start()
ways = (killed, survives_then_fails, refused, helped, forked_helper_crashes, new_helper_crashes, ordinary)
print("RESULT", json.dumps({work.__name__: caught(work) for work in ways}), flush=True)
over.set()
saying.join()
context.stop()
