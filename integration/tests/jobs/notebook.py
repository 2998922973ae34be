"""Runs a job and shows its report as a notebook would, while the application runs. argv[1]: where the cell goes."""

import json
import pathlib
import sys

import sparkmemprof
from pyspark import SparkContext


def block(_):
    return len(bytearray(3_300_013))  # block


sc = SparkContext(appName="notebook")
sc.parallelize(range(2), 2).map(block).sum()
shown = sparkmemprof.show()
pathlib.Path(sys.argv[1]).write_text(f"<!doctype html><title>cell</title>{shown._repr_html_()}")
sparkmemprof.dump("dumped.json")
print("RESULT " + json.dumps([repr(shown), json.loads(pathlib.Path("dumped.json").read_text())["application"]["name"]]))
sc.stop()
