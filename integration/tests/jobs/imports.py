"""Shipped modules that hold blocks of odd sizes: one that a function comes from, one that another imports.

RESULT: what the two functions return.
"""

import importlib
import json
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
    print("RESULT " + json.dumps(results), flush=True)
    spark.stop()
