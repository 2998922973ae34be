"""Runs three jobs, says where its UI is, and waits. argv[1]: the file that says so; argv[2]: the file that ends it.

The third job's function, its file and the application are named as an attacker would.
"""

import pathlib
import sys
import time
import types

from pyspark import SparkContext

HOSTILE = "<script>alert(1)</script>\"'&"


def block(_):
    return len(bytearray(2_400_017))  # block


def renamed(function, name, file):
    names = {"co_name": name, "co_filename": file}
    if sys.version_info >= (3, 11):
        names["co_qualname"] = name
    code = function.__code__.replace(**names)
    return types.FunctionType(code, function.__globals__, name)


sc = SparkContext(appName=HOSTILE)
hostile = renamed(block, HOSTILE, f"/jobs/{HOSTILE}.py")
sc.parallelize(range(2), 2).map(block).sum()
sc.parallelize(range(1), 1).map(block).sum()
sc.parallelize(range(1), 1).map(hostile).sum()
told = pathlib.Path(sys.argv[1])
told.with_suffix(".new").write_text(sc.uiWebUrl or "none")
told.with_suffix(".new").rename(told)
while not pathlib.Path(sys.argv[2]).exists():
    time.sleep(0.1)
sc.stop()
