"""Each task takes one block of an odd size, and says what lies where its executor's JVM was started.

Argument: the file for the result; in cluster mode the driver's own output stays in its container. The driver's Python
keeps a block, too. The executors have been given a file, words.txt.
"""

import json
import os
import pathlib
import sys

from pyspark.sql import SparkSession

BLOCK_BYTES, TASKS, HELD = 3_700_019, 6, 41_000_027
LIBRARY = "libsparkmemprof.so"


def take(numbers):
    block = bytearray(BLOCK_BYTES)  # shipped block
    stat = pathlib.Path(f"/proc/{os.getppid()}/stat").read_text()  # of the daemon that forked this worker
    jvm = pathlib.Path("/proc", stat.rpartition(")")[2].split()[1])
    folder = pathlib.Path(os.readlink(jvm / "cwd"))
    mapped = {line.split(maxsplit=5)[5] for line in (jvm / "maps").read_text().splitlines() if LIBRARY in line}
    seen = {
        "folder": str(folder),
        "options": [word for word in (jvm / "cmdline").read_text().split("\0") if word.startswith("-agentpath:")],
        "library": os.path.realpath(folder / LIBRARY),
        "mapped": sorted(mapped),
        "words": (folder / "words.txt").read_text(),
    }
    yield sum(number * number + len(block) for number in numbers), seen


def main(result):
    spark = SparkSession.builder.appName("shipped").getOrCreate()
    held = bytearray(HELD)  # the driver's own
    found = spark.sparkContext.parallelize(range(60), TASKS).mapPartitions(take).collect()
    content = {"sum": sum(each for each, _ in found) + len(held), "seen": [seen for _, seen in found]}
    pathlib.Path(result).write_text(json.dumps(content))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
