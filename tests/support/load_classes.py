"""Loads the classes that most applications need."""

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf

if __name__ == "__main__":
    spark = SparkSession.builder.getOrCreate()
    spark.sparkContext.parallelize(range(100), 2).map(lambda i: (i % 7, i)).groupByKey(2).count()

    @pandas_udf("long")
    def twice(ids: pd.Series) -> pd.Series:
        return 2 * ids

    table = spark.range(0, 1000, 1, 2).selectExpr("id", "id % 7 as k", "cast(id as string) as name")
    table.join(table.groupBy("k").count(), "k").cache().count()
    table.select(twice("id")).orderBy("twice(id)").collect()
    table.groupBy("k").applyInPandas(lambda frame: frame.head(1), table.schema).toPandas()
    table.mapInArrow(lambda batches: batches, table.schema).count()
    spark.stop()
