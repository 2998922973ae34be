"""A driver's Python that starts its JVM itself and says `import sparkmemprof.driver`. It holds known bytes."""

import sparkmemprof.driver  # noqa: F401
from pyspark.sql import SparkSession

HELD = 41_000_027

spark = SparkSession.builder.appName("import").getOrCreate()
held = bytearray(HELD)  # held
counted = spark.sparkContext.parallelize(range(7), 1).map(lambda i: i).count()
print("RESULT", counted, flush=True)
spark.stop()
