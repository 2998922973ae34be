"""Every way in which Spark runs Python, on local[2], one after the other in one application.

Each function takes one block of its own and, through kinds_helper, one in every other place. Prints {kind: outcome}.
"""

import json
import pathlib
import sys
import tempfile
import zipfile
from collections.abc import Iterator

import kinds_helper
import numpy as np
import pandas as pd
import pyspark
from kinds_helper import OWN, everywhere
from pyspark.sql import SparkSession, Window
from pyspark.sql.functions import col, lit, pandas_udf, udf, udtf
from pyspark.sql.types import LongType, StructField, StructType

MINOR = tuple(int(part) for part in pyspark.__version__.split(".")[:2])
HERE = pathlib.Path(__file__).parent
DOUBLED = StructType([StructField("doubled", LongType())])


@udf(LongType(), useArrow=False)
def plain(value):
    block = bytearray(OWN + 101 * 1)  # plain
    return value + 0 * len(block) + everywhere(1)


@udf(LongType(), useArrow=True)
def arrow_optimised(value):
    block = bytearray(OWN + 101 * 2)  # arrow_optimised
    return value + 0 * len(block) + everywhere(2)


@pandas_udf(LongType())
def series(values: pd.Series) -> pd.Series:
    block = bytearray(OWN + 101 * 3)  # series
    return values + 0 * len(block) + everywhere(3)


@pandas_udf(LongType())
def aggregate(values: pd.Series) -> int:
    block = bytearray(OWN + 101 * 4)  # aggregate
    return values.sum() + 0 * len(block) + everywhere(4)


@pandas_udf(LongType())
def one_column(batches: Iterator[pd.Series]) -> Iterator[pd.Series]:
    for values in batches:
        block = bytearray(OWN + 101 * 5)  # one_column
        yield values + 0 * len(block) + everywhere(5)


@pandas_udf(LongType())
def two_columns(batches: Iterator[tuple[pd.Series, pd.Series]]) -> Iterator[pd.Series]:
    for left, right in batches:
        block = bytearray(OWN + 101 * 6)  # two_columns
        yield left + right + 0 * len(block) + everywhere(6)


@pandas_udf(LongType())
def over_window(values: pd.Series) -> int:
    block = bytearray(OWN + 101 * 7)  # over_window
    return values.sum() + 0 * len(block) + everywhere(7)


def map_pandas(batches):
    for batch in batches:
        block = bytearray(OWN + 101 * 8)  # map_pandas
        yield batch.assign(id=batch["id"] + 0 * len(block) + everywhere(8))


def map_arrow(batches):
    for batch in batches:
        block = bytearray(OWN + 101 * 9)  # map_arrow
        everywhere(9)
        yield batch.slice(0 * len(block))


def grouped_pandas(group):
    block = bytearray(OWN + 101 * 10)  # grouped_pandas
    return group.assign(id=group["id"] + 0 * len(block) + everywhere(10))


def cogrouped_pandas(left, right):
    block = bytearray(OWN + 101 * 11)  # cogrouped_pandas
    return left.assign(id=left["id"].sum() + right["id"].sum() + 0 * len(block) + everywhere(11)).head(1)


def with_state(key, frames, state):
    for frame in frames:
        block = bytearray(OWN + 101 * 12)  # with_state
        state.update((len(frame) + 0 * len(block) + everywhere(12),))
    yield pd.DataFrame({"id": [key[0]]})


def each_batch(frame, _):
    """Runs in the driver's Python, which nobody profiles; only what it has executors do is seen."""
    block = bytearray(OWN + 101 * 13)  # each_batch
    frame.mapInPandas(in_each_batch, "id long").collect()
    return 0 * len(block)


def in_each_batch(batches):
    for batch in batches:
        block = bytearray(OWN + 101 * 14)  # in_each_batch
        yield batch.assign(id=batch["id"] + 0 * len(block) + everywhere(14))


@udtf(returnType=DOUBLED, useArrow=False)
class PlainTable:
    def eval(self, value):
        block = bytearray(OWN + 101 * 15)  # PlainTable.eval
        yield (2 * value + 0 * len(block) + everywhere(15),)


@udtf(returnType=DOUBLED, useArrow=True)
class ArrowTable:
    def eval(self, value):
        block = bytearray(OWN + 101 * 16)  # ArrowTable.eval
        yield (2 * value + 0 * len(block) + everywhere(16),)


@udtf(returnType=DOUBLED, useArrow=False)
class LazyTable:
    def __init__(self):
        self.factor = 2

    def eval(self, value):
        return self.rows(value)

    def rows(self, value):
        block = bytearray(OWN + 101 * 38)  # lazy_rows
        yield (self.factor * value + 0 * len(block),)


def of_map(value):
    block = bytearray(OWN + 101 * 17)  # of_map
    return value + 0 * len(block) + everywhere(17)


def of_map_partitions(values):
    for value in values:
        block = bytearray(OWN + 101 * 18)  # of_map_partitions
        yield value + 0 * len(block) + everywhere(18)


def of_reduce_by_key(left, right):
    block = bytearray(OWN + 101 * 19)  # of_reduce_by_key
    return left + right + 0 * len(block) + everywhere(19)


def of_aggregate(total, value):
    block = bytearray(OWN + 101 * 20)  # of_aggregate
    return total + value + 0 * len(block) + everywhere(20)


def of_foreach_partition(values):
    block = bytearray(OWN + 101 * 21)  # of_foreach_partition
    everywhere(21 + 0 * len(block) + 0 * len(list(values)))


def pandas_on_spark(value) -> np.int64:
    block = bytearray(OWN + 101 * 22)  # pandas_on_spark
    return value + 0 * len(block) + everywhere(22)


inner_of_chain = udf(lambda value: value + 0 * len(bytearray(OWN + 101 * 23)), LongType(), useArrow=False)  # inner


@udf(LongType(), useArrow=False)
def outer_of_chain(value):
    block = bytearray(OWN + 101 * 24)  # outer_of_chain
    return value + 0 * len(block) + everywhere(24)


def first_of_chain(value):
    block = bytearray(OWN + 101 * 25)  # first_of_chain
    return value + 0 * len(block)


def second_of_chain(values):
    for value in values:
        block = bytearray(OWN + 101 * 26)  # second_of_chain
        yield value + 0 * len(block)


def last_of_chain(values):
    """Runs the others: each asks for its input."""
    block = bytearray(OWN + 101 * 27)  # last_of_chain
    return sorted(value + 0 * len(block) for value in values)


def called_back(value):
    block = bytearray(OWN + 101 * 28)  # called_back
    return value + 0 * len(block)


def calls_back(values):
    """Calls a function that comes before it, for itself."""
    return [called_back(value) for value in values]


def stream_of(spark, folder):
    return spark.readStream.schema("id long").json(folder)


def finish(query):
    query.awaitTermination()
    return query.lastProgress["numInputRows"] if query.lastProgress else None


def once(writer):
    return finish(writer.trigger(availableNow=True).start())


def ids_of(frame):
    return sorted(row[0] for row in frame.collect())


def actions_of(spark, folder):
    sc = spark.sparkContext
    three = spark.range(0, 3, 1, 1)
    numbers = sc.parallelize(range(3), 1)
    keyed = three.select("id", lit(1).alias("k"))
    whole = Window.partitionBy("k").rowsBetween(Window.unboundedPreceding, Window.unboundedFollowing)
    stateful = stream_of(spark, folder).selectExpr("id", "1L as k").groupBy("k")

    def of_pandas_on_spark():
        column = three.selectExpr("id", "id as value").pandas_api(index_col="id")["value"]
        return sorted(column.apply(pandas_on_spark).to_numpy().tolist())

    return {
        "plain": lambda: ids_of(three.select(plain("id"))),
        "arrow_optimised": lambda: ids_of(three.select(arrow_optimised("id"))),
        "series": lambda: ids_of(three.select(series("id"))),
        "aggregate": lambda: ids_of(keyed.groupBy("k").agg(aggregate("id")).select(col("aggregate(id)"))),
        "one_column": lambda: ids_of(three.select(one_column("id"))),
        "two_columns": lambda: ids_of(three.select(two_columns("id", "id"))),
        "over_window": lambda: ids_of(keyed.select(over_window("id").over(whole))),
        "map_pandas": lambda: ids_of(three.mapInPandas(map_pandas, "id long")),
        "map_arrow": lambda: ids_of(three.mapInArrow(map_arrow, "id long")),
        "grouped_pandas": lambda: ids_of(keyed.groupBy("k").applyInPandas(grouped_pandas, "id long, k int")),
        "cogrouped_pandas": lambda: ids_of(
            keyed.groupBy("k").cogroup(keyed.groupBy("k")).applyInPandas(cogrouped_pandas, "id long, k int")
        ),
        "with_state": lambda: once(
            stateful.applyInPandasWithState(with_state, "id long", "n long", "update", "NoTimeout")
            .writeStream.outputMode("update")
            .format("noop")
        ),
        "each_batch": lambda: once(stream_of(spark, folder).writeStream.foreachBatch(each_batch)),
        "plain_table": lambda: ids_of(PlainTable(lit(21))),
        "arrow_table": lambda: ids_of(ArrowTable(lit(21))),
        "lazy_table": lambda: ids_of(LazyTable(lit(21))),
        "of_map": lambda: numbers.map(of_map).collect(),
        "of_map_partitions": lambda: numbers.mapPartitions(of_map_partitions).collect(),
        "of_reduce_by_key": lambda: numbers.map(lambda n: (1, n)).reduceByKey(of_reduce_by_key, 1).collect(),
        "of_aggregate": lambda: numbers.aggregate(0, of_aggregate, lambda left, right: left + right),
        "of_foreach_partition": lambda: numbers.foreachPartition(of_foreach_partition),
        "pandas_on_spark": of_pandas_on_spark,
        "chain_of_rdds": lambda: (
            numbers.map(first_of_chain).mapPartitions(second_of_chain).mapPartitions(last_of_chain).collect()
        ),
        "chain_that_calls_back": lambda: numbers.map(called_back).mapPartitions(calls_back).collect(),
        "chain": lambda: ids_of(three.select(outer_of_chain(inner_of_chain("id")))),
    }


def outcome(action):
    try:
        return action()
    except Exception as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return f"{type(error).__name__}"


def main():
    spark = SparkSession.builder.appName("kinds").getOrCreate()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        archive = folder / "kinds_helper.zip"
        with zipfile.ZipFile(archive, "w") as file:
            file.write(kinds_helper.__file__, "kinds_helper.py")
        spark.sparkContext.addPyFile(str(archive))
        (folder / "input").mkdir()
        (folder / "input" / "three.json").write_text("".join(json.dumps({"id": id}) + "\n" for id in range(3)))
        actions = actions_of(spark, str(folder / "input"))
        if MINOR >= (4, 0):
            spark.sparkContext.addPyFile(str(HERE / "kinds_since_4.py"))
            import kinds_since_4

            actions |= kinds_since_4.actions_of(spark, str(folder / "input"))
        results = {kind: outcome(action) for kind, action in actions.items()}
    print("RESULT", json.dumps(results), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
