"""What came with Spark 4: a module beside kinds.py, shipped as a file."""

import sys

import pandas as pd
import pyarrow as pa
from kinds_helper import OWN, everywhere
from pyspark import cloudpickle
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter, InputPartition, WriterCommitMessage
from pyspark.sql.functions import arrow_udf, lit
from pyspark.sql.streaming import StatefulProcessor
from pyspark.sql.types import LongType

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def grouped_arrow(table):
    block = bytearray(OWN + 101 * 31)  # grouped_arrow
    everywhere(31 + 0 * len(block))
    return table


def cogrouped_arrow(left, _):
    block = bytearray(OWN + 101 * 32)  # cogrouped_arrow
    everywhere(32 + 0 * len(block))
    return left


@arrow_udf(LongType())
def of_arrow(values: pa.Array) -> pa.Array:
    block = bytearray(OWN + 101 * 33)  # of_arrow
    everywhere(33 + 0 * len(block))
    return values


class Processor(StatefulProcessor):
    def init(self, handle):
        self.handle = handle

    def handleInputRows(self, key, rows, timerValues):
        from kinds_helper import everywhere  # only here: what prepares the query in the driver gets no files

        for frame in rows:
            block = bytearray(OWN + 101 * 34)  # Processor.handleInputRows
            everywhere(34 + 0 * len(block) + 0 * len(frame))
        yield pd.DataFrame({"id": [key[0]]})

    def close(self):
        pass


class Reader(DataSourceReader):
    def partitions(self):
        block = bytearray(OWN + 101 * 37)  # Reader.partitions
        return [InputPartition(0 * len(block))]

    def read(self, partition):
        for number in range(3):
            block = bytearray(OWN + 101 * 35)  # Reader.read
            yield (number + 0 * len(block) + everywhere(35),)


class Writer(DataSourceWriter):
    def write(self, iterator):
        block = bytearray(OWN + 101 * 36)  # Writer.write
        everywhere(36 + 0 * len(block) + 0 * len(list(iterator)))
        return WriterCommitMessage()


class Numbers(DataSource):
    @classmethod
    def name(cls):
        return "numbers"

    def schema(self):
        return "id long"

    def reader(self, schema):
        return Reader()

    def writer(self, schema, overwrite):
        return Writer()


def actions_of(spark, folder):
    three = spark.range(0, 3, 1, 1)
    keyed = three.select("id", lit(1).alias("k"))

    def ids_of(frame):
        return sorted(row[0] for row in frame.collect())

    def processor():
        cloudpickle.register_pickle_by_value(sys.modules[__name__])
        spark.conf.set("spark.sql.streaming.stateStore.providerClass", ROCKSDB)
        stream = spark.readStream.schema("id long").json(folder).selectExpr("id", "1L as k").groupBy("k")
        result = stream.transformWithStateInPandas(Processor(), "id long", "Update", "None")
        query = result.writeStream.outputMode("update").format("noop").trigger(availableNow=True).start()
        cloudpickle.unregister_pickle_by_value(sys.modules[__name__])
        query.awaitTermination()
        return query.lastProgress["numInputRows"]

    def read():
        spark.dataSource.register(Numbers)
        return ids_of(spark.read.format("numbers").load())

    return {
        "grouped_arrow": lambda: ids_of(keyed.groupBy("k").applyInArrow(grouped_arrow, "id long, k int")),
        "cogrouped_arrow": lambda: ids_of(
            keyed.groupBy("k").cogroup(keyed.groupBy("k")).applyInArrow(cogrouped_arrow, "id long, k int")
        ),
        "of_arrow": lambda: ids_of(three.select(of_arrow("id"))),
        "Processor": processor,
        "Reader": read,
        "Writer": lambda: three.write.format("numbers").mode("append").save(),
    }
