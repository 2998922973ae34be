"""Spark starts its Pythons from zips of sources. To compile those takes each of them 0.9 to 1.1 s of processor time.

Here the modules that Spark itself imports stand beside their sources, compiled. It is no user's Spark: what compiling
leaves in a process's memory is missing.

    PYTHON compiled_modules.py FOLDER NEW_FOLDER    copies a folder of zips, for Pythons of the same version
"""

import importlib.util
import marshal
import pathlib
import subprocess
import sys
import zipfile

UNCHECKED = (1).to_bytes(4, "little") + bytes(8)  # PEP 552: not compared with the source
SELDOM = ["ml/", "mllib/", "pandas/", "pipelines/", "testing/", "tests/", "sql/connect/", "sql/tests/"]


def add_compiled_modules(zipped, made):
    left_out = tuple(f"pyspark/{folder}" for folder in SELDOM)
    with (
        zipfile.ZipFile(zipped) as sources,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as target,
    ):
        for entry in sources.infolist():
            content = sources.read(entry)
            target.writestr(entry, content)
            if entry.filename.endswith(".py") and not entry.filename.startswith(left_out):
                code = compile(content, f"{made}/{entry.filename}", "exec", dont_inherit=True)
                module = importlib.util.MAGIC_NUMBER + UNCHECKED + marshal.dumps(code)
                target.writestr(f"{entry.filename}c", module)


def home_with_compiled_modules(home, python, made):
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
    new.mkdir()
    for path in given.iterdir():
        add_compiled_modules(path, new / path.name)
