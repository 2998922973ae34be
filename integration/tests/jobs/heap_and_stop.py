"""A full heap of the driver, while its SparkContext runs and after its end. RESULT: the notes on each error."""

import json

import sparkmemprof.driver  # noqa: F401
from pyspark import SparkContext

ELEMENTS = 1_900_000_011  # of 4 bytes each

context = SparkContext()
jvm = context._jvm


def notes(call):
    try:
        call()
    except Exception as error:
        return {"text": str(error), "notes": list(getattr(error, "__notes__", ()))}
    return None


def full():
    jvm.java.util.ArrayList(ELEMENTS)


before = notes(full)
context.stop()
after = [
    notes(full),
    notes(lambda: jvm.java.lang.Integer.parseInt("x")),
    notes(lambda: context.parallelize([0]).count()),
]
print("RESULT", json.dumps([before, *after]), flush=True)
