"""Spark starts its Pythons from zips of sources. To compile those takes each of them 0.9 to 1.1 s of processor time,
and each worker reads the zips' directories again, once for each package of Spark's that it has imported.

Here folders have the names of the zips, and hold the modules that Spark itself imports compiled. It is no user's Spark:
what compiling and reading leave in a process's memory is missing.

    PYTHON unpacked_modules.py FOLDER NEW_FOLDER    unpacks a folder of zips, for Pythons of the same version
"""

import pathlib
import py_compile
import subprocess
import sys
import zipfile

SELDOM = ["ml/", "mllib/", "pandas/", "pipelines/", "testing/", "tests/", "sql/connect/", "sql/tests/"]


def unpack(zipped, folder):
    with zipfile.ZipFile(zipped) as sources:
        sources.extractall(folder)
    left_out = tuple(f"pyspark/{name}" for name in SELDOM)
    for path in folder.rglob("*.py"):
        if not str(path.relative_to(folder)).startswith(left_out):
            py_compile.compile(path, doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)


def home_with_unpacked_modules(home, python, made):
    """Makes another SPARK_HOME, with modules compiled by that Python, which its jobs must have, too."""
    lib = made / "python/lib"
    lib.parent.mkdir(parents=True)
    for folder, new in ((home, made), (home / "python", made / "python")):
        for entry in folder.iterdir():
            if entry.name not in ("python", "work", "lib"):
                (new / entry.name).symlink_to(entry.resolve())
    subprocess.run([python, __file__, home / "python/lib", lib], check=True)


if __name__ == "__main__":
    given, new = map(pathlib.Path, sys.argv[1:])
    for path in given.iterdir():
        unpack(path, new / path.name)
