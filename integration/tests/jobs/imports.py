"""What is held beside a task's data: by shipped modules with blocks of odd sizes (one that a function comes from, one
that another imports), and by a program that a task starts.

RESULT: what the two functions return, and how many bytes the program wrote.
"""

import importlib
import json
import os
import pathlib
import tempfile
import zipfile

from pyspark.sql import SparkSession

PACKAGE = {
    "oddpackage/__init__.py": "from oddpackage import deep\n",
    "oddpackage/deep.py": "BLOCK = bytearray(7_654_321)\n\n\ndef count(numbers):\n    return [len(list(numbers))]\n",
}
MODULES = {
    "odd_outer.py": "import odd_inner\n\nBLOCK = bytearray(5_432_101)\n",
    "odd_inner.py": "BLOCK = bytearray(3_210_987)\n",
}


def importing(numbers):
    import odd_outer

    return [len(odd_outer.BLOCK) + len(list(numbers))]


# dd has read its block and can't write it before the reader wakes up.
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))
PROGRAM = f"dd if=/dev/zero bs=333000003 count=1 2> /dev/null | (sleep {3 * PATIENCE:.0f}; wc -c)"


def ship(context, folder):
    archive = folder / "oddpackage.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name, source in PACKAGE.items():
            file.writestr(name, source)
    context.addPyFile(str(archive))
    for name, source in MODULES.items():
        (folder / name).write_text(source)
        context.addPyFile(str(folder / name))


if __name__ == "__main__":
    spark = SparkSession.builder.appName("imports").getOrCreate()
    context = spark.sparkContext
    with tempfile.TemporaryDirectory() as name:
        ship(context, pathlib.Path(name))
        count = importlib.import_module("oddpackage.deep").count
        results = [context.parallelize(range(30), 1).mapPartitions(f).sum() for f in (count, importing, count)]
        results += [int(line) for line in context.parallelize([1], 1).pipe(f"sh -c '{PROGRAM}'").collect()]
    print("RESULT " + json.dumps(results), flush=True)
    spark.stop()
