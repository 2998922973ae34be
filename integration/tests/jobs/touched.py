"""Python workers that are killed a while after they have filled a part of a block.

Arguments: bytes of the block, seconds of the while, then for each worker the percentage filled, with a `+` where the
block's pages are looked up after that. RESULT: how many rows came back.
"""

import json
import os
import signal
import sys
import time

from pyspark import SparkContext, TaskContext

BESIDE_BYTES = 60_000_007  # filled, so that the resident set has grown
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))
OLD_S = 0.3
SEEN_BYTES = 2_000_003  # its allocation then has the pages looked up


def fill(block_bytes, wait_s, how):
    percent, seen = int(how.rstrip("+")), how.endswith("+")

    def filled(row):
        import numpy as np

        if TaskContext.get().attemptNumber() > 0:
            return row
        block = np.empty(block_bytes, dtype="u1")  # block
        block[: block_bytes * percent // 100] = 1
        time.sleep(OLD_S * PATIENCE)  # of a younger one that is nearly untouched, nothing is told
        beside = np.full(BESIDE_BYTES, 1, dtype="u1") if seen else None
        held = np.empty(SEEN_BYTES, dtype="u1") if seen else None
        time.sleep(wait_s * PATIENCE)  # its executor has seen it meanwhile
        os.kill(os.getpid(), signal.SIGKILL)
        return len(block) + len(beside) + len(held)

    return filled


def main():
    block_bytes, wait_s, *ways = sys.argv[1:]
    context = SparkContext()
    rows = [context.parallelize([0], 1).map(fill(int(block_bytes), float(wait_s), how)).count() for how in ways]
    print("RESULT", json.dumps(rows), flush=True)
    context.stop()


if __name__ == "__main__":
    main()
