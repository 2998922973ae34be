"""Functions that were not written in a file of the driver's: typed, in notebook cells, shipped in archives.

Two executors run each of them; each takes a block of an odd size on line 3. Prints the sum of the sizes.
"""

import importlib
import json
import pathlib
import sys
import tarfile
import tempfile
import zipfile

from pyspark import SparkFiles
from pyspark.sql import SparkSession

SOURCE = """\
def {name}(numbers):
    '''On the next line is its block.'''
    block = bytearray({size})
    return [len(block) + 0 * sum(numbers)]
"""
TYPED = {"<stdin>": 2_100_001, "/tmp/ipykernel_123/456.py": 2_200_003, "<ipython-input-7-5ac0ffee>": 2_300_009}
SHIPPED = {"helpers.zip": 2_400_011, "others.egg": 2_500_001, "single.py": 2_600_003}
UNPACKED = 2_700_007


def typed(file, size):
    namespace = {"__name__": "__main__"}
    exec(compile(SOURCE.format(name="typed", size=size), file, "exec"), namespace)
    return namespace["typed"]


def shipped(context, folder, file, size):
    path, module = folder / file, file.partition(".")[0]
    source = SOURCE.format(name="shipped", size=size)
    if path.suffix == ".py":
        path.write_text(source)
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(f"{module}/__init__.py", "")
            archive.writestr(f"{module}/mod.py", source)
    context.addPyFile(str(path))
    return importlib.import_module(module if path.suffix == ".py" else f"{module}.mod").shipped


def unpacked(context, folder):
    (folder / "odd_env.py").write_text(SOURCE.format(name="unpacked", size=UNPACKED))
    with tarfile.open(folder / "env.tar.gz", "w:gz") as archive:
        archive.add(folder / "odd_env.py", "lib/odd_env.py")
    context.addArchive(f"{folder / 'env.tar.gz'}#env")

    def of_archive(numbers):
        sys.path.insert(0, SparkFiles.get("env/lib"))
        import odd_env

        return odd_env.unpacked(numbers)

    return of_archive


def main():
    spark = SparkSession.builder.getOrCreate()
    context = spark.sparkContext
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        functions = [typed(file, size) for file, size in TYPED.items()]
        functions += [shipped(context, folder, file, size) for file, size in SHIPPED.items()]
        functions.append(unpacked(context, folder))
        sums = [context.parallelize(range(40), 4).mapPartitions(function).sum() for function in functions]
    print("RESULT " + json.dumps(sum(sums)))
    spark.stop()


main()
