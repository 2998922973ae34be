"""Every kind of user function, each with an odd size of its own. Prints {kind: outcome} as JSON in the last line."""

import functools
import json
import os

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.functions import col, lit, udf, udtf
from pyspark.sql.types import LongType


def take(size):
    """bytearray(n) asks for n + 1 bytes."""
    return len(bytearray(size - 1)) * 0


def of_rdd(value):
    return value + take(1_999_993)


def of_rdd_then(offset, value):
    return value + offset + take(2_999_993)


def keeps(value):
    return value >= take(3_999_993)


class Callable:
    def __call__(self, value):
        return value + take(4_999_993)


@udf(LongType())
def inner(value):
    return value + take(5_999_993)


@udf(LongType())
def outer(value):
    return value + take(6_999_993)


def raises(batches):
    for _ in batches:
        take(7_999_993)
        raise ValueError("the user's own")
    yield from ()


def exits(batches):
    take(8_999_993)
    raise SystemExit(3)
    yield from batches


def forks(batches):
    for batch in batches:
        child = os.fork()
        if child == 0:
            take(9_999_993)
            os._exit(0)
        os.waitpid(child, 0)
        yield batch


def forks_often(batches):
    yield from batches
    for _ in range(20):
        child = os.fork()
        if child == 0:
            take(13_999_993)
            os._exit(0)
        os.waitpid(child, 0)


def endless(batches):
    for batch in batches:
        take(10_999_993)
        while True:
            yield batch


@udtf(returnType="doubled long")
class Doubling:
    def __init__(self):
        take(16_999_993)

    def eval(self, value):
        take(11_999_993)
        yield (2 * value,)


def decorated(function):
    @functools.wraps(function)
    def wrapper(batches):
        yield from function(batches)

    return wrapper


@decorated
def under_a_decorator(batches):
    for batch in batches:
        take(12_999_993)
        yield pd.DataFrame({"id": batch["id"]})


def priced(number):
    def price(value):
        return value + number + take(14_999_993 + 2 * number)

    price.__name__ = f"price_{number}"
    return udf(price, LongType())


def shared(number):
    """Two of these in one chain are pickled together, with one code object. The first one keeps its name."""

    def share(value):
        return value + take(15_999_993)

    if number > 0:
        share.__name__ = f"share_{number}"
    return share


def one_of_many(number):
    """A function with a place of its own."""
    names = {}
    exec(compile(f"{number * chr(10)}def many_{number}(value): return value", f"many_{number}.py", "exec"), names)
    return udf(names[f"many_{number}"], LongType())


def outcome(action):
    try:
        return action()
    except Exception as error:
        return type(error).__name__


def main():
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.python.daemon.module", "sparkmemprof.daemon").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    frame = spark.range(3)
    numbers = spark.sparkContext.parallelize(range(3), 1)
    results = {
        "rdd": lambda: (
            numbers.map(of_rdd).map(functools.partial(of_rdd_then, 10)).filter(keeps).map(Callable()).collect()
        ),
        "chain": lambda: [row[0] for row in frame.select(outer(inner(col("id")))).collect()],
        "raises": lambda: frame.mapInPandas(raises, "id long").collect(),
        "exits": lambda: frame.mapInPandas(exits, "id long").collect(),
        "forks": lambda: len(frame.mapInPandas(forks, "id long").collect()),
        "forks often": lambda: len(frame.mapInPandas(forks_often, "id long").collect()),
        "limit": lambda: len(frame.mapInPandas(endless, "id long").limit(5).collect()),
        "udtf": lambda: [row[0] for row in Doubling(lit(21)).collect()],
        "closures": lambda: list(frame.select(*[priced(number)(col("id")) for number in range(12)]).first()),
        "shared": lambda: numbers.map(shared(0)).map(shared(1)).collect(),
        "many": lambda: list(frame.select(*[one_of_many(number)(col("id")) for number in range(35)]).first()),
        "decorated": lambda: len(frame.mapInPandas(under_a_decorator, "id long").collect()),
    }
    print(json.dumps({name: outcome(action) for name, action in results.items()}), flush=True)
    spark.stop()


main()
