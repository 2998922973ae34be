"""Shows the report of its jobs as a notebook would, while the application runs. argv[1]: where the cell goes."""

import json
import pathlib
import sys

import sparkmemprof
from pyspark import SparkContext


def block(_):
    return len(bytearray(3_300_013))  # block


def another(_):
    return len(bytearray(3_400_019))  # another


sc = SparkContext(appName="notebook")
sc.parallelize(range(2), 2).map(block).sum()
shown = sparkmemprof.show()
pathlib.Path(sys.argv[1]).write_text(f'<!doctype html><meta charset="utf-8"><title>cell</title>{shown._repr_html_()}')
sparkmemprof.dump("dumped.json")
sparkmemprof.clear()
sc.parallelize(range(2), 2).map(another).sum()
name = json.loads(pathlib.Path("dumped.json").read_text())["application"]["name"]
print("RESULT " + json.dumps([repr(shown), name, repr(sparkmemprof.show())]))
sc.stop()
