"""The Spark jobs whose JVMs are measured. Each gives a function that runs one unit, so long that what is compiled for
the application, by Spark and by the JVM, is a small part of it: some twenty seconds of CPU; the UDF's are what many
tests and small jobs do.

`make(session, folder)` sets up; tables that it wants are in `folder`, made once for a process by `write_tables`, which
is not measured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Unit = Callable[[], object]

ORDERS = 600_000


def _consume(frame: Any) -> None:
    frame.write.format("noop").mode("overwrite").save()


def make_sql(session: Any, _folder: str) -> Unit:
    """Strings made by uuid(), grouped and sorted."""

    def unit() -> None:
        made = session.range(4_000_000).selectExpr("id", "uuid() AS text", "id % 1000 AS key")
        _consume(made.groupBy("key").agg({"text": "max", "id": "sum"}))
        _consume(made.selectExpr("substr(text, 1, 4) AS start", "id").groupBy("start").count())
        _consume(made.sort("text"))

    return unit


TABLES = {
    "nation": "SELECT id AS n_nationkey, concat('NATION ', id) AS n_name FROM range(25)",
    "supplier": "SELECT id AS s_suppkey, id % 25 AS s_nationkey FROM range(6000)",
    "part": """SELECT id AS p_partkey, concat(elt(1 + id % 3, 'PROMO', 'SMALL', 'LARGE'), ' ', id % 50) AS p_type,
        concat('Brand#', id % 40) AS p_brand FROM range(80000)""",
    "customer": """SELECT id AS c_custkey, id % 25 AS c_nationkey, concat('Customer#', id) AS c_name,
        elt(1 + id % 5, 'BUILDING', 'AUTOMOBILE', 'MACHINERY', 'HOUSEHOLD', 'FURNITURE') AS c_mktsegment
        FROM range(60000)""",
    "orders": f"""SELECT id AS o_orderkey, abs(hash(id)) % 60000 AS o_custkey,
        date_add('1993-01-01', CAST(hash(id, 7) % 1000 + 1000 AS INT)) AS o_orderdate,
        concat(1 + id % 5, '-PRIORITY') AS o_orderpriority FROM range({ORDERS})""",
    "lineitem": f"""SELECT id DIV 4 AS l_orderkey, abs(hash(id, 1)) % 80000 AS l_partkey,
        abs(hash(id, 2)) % 6000 AS l_suppkey, 1 + id % 50 AS l_quantity, 900 + abs(hash(id, 3)) % 90000 AS l_price,
        (id % 11) / 100 AS l_discount, elt(1 + id % 3, 'A', 'N', 'R') AS l_returnflag,
        elt(1 + id % 2, 'O', 'F') AS l_linestatus, elt(1 + id % 7, 'AIR', 'MAIL', 'SHIP', 'RAIL', 'TRUCK', 'FOB', 'REG')
        AS l_shipmode, date_add('1993-01-01', CAST(abs(hash(id, 4)) % 2200 AS INT)) AS l_shipdate
        FROM range({4 * ORDERS})""",
}

# Like TPC-H's queries 1, 3, 5, 6, 10, 12, 14 and 18.
QUERIES = (
    """SELECT l_returnflag, l_linestatus, sum(l_quantity), sum(l_price * (1 - l_discount)), avg(l_discount), count(*)
    FROM lineitem WHERE l_shipdate <= '1998-09-02' GROUP BY 1, 2 ORDER BY 1, 2""",
    """SELECT l_orderkey, sum(l_price * (1 - l_discount)) AS revenue, o_orderdate FROM customer
    JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey WHERE c_mktsegment = 'BUILDING'
    AND o_orderdate < '1996-03-15' GROUP BY l_orderkey, o_orderdate ORDER BY revenue DESC LIMIT 10""",
    """SELECT n_name, sum(l_price * (1 - l_discount)) AS revenue FROM customer JOIN orders ON c_custkey = o_custkey
    JOIN lineitem ON l_orderkey = o_orderkey JOIN supplier ON l_suppkey = s_suppkey
    JOIN nation ON s_nationkey = n_nationkey GROUP BY n_name ORDER BY revenue DESC""",
    """SELECT sum(l_price * l_discount) FROM lineitem WHERE l_shipdate >= '1994-01-01' AND l_shipdate < '1995-01-01'
    AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24""",
    """SELECT c_custkey, c_name, sum(l_price * (1 - l_discount)) AS revenue, n_name FROM customer
    JOIN orders ON c_custkey = o_custkey JOIN lineitem ON l_orderkey = o_orderkey
    JOIN nation ON c_nationkey = n_nationkey WHERE l_returnflag = 'R' GROUP BY c_custkey, c_name, n_name
    ORDER BY revenue DESC LIMIT 20""",
    """SELECT l_shipmode, sum(CASE WHEN o_orderpriority IN ('1-PRIORITY', '2-PRIORITY') THEN 1 ELSE 0 END)
    FROM orders JOIN lineitem ON o_orderkey = l_orderkey WHERE l_shipmode IN ('MAIL', 'SHIP') GROUP BY 1 ORDER BY 1""",
    """SELECT 100.0 * sum(CASE WHEN p_type LIKE 'PROMO%' THEN l_price * (1 - l_discount) ELSE 0 END)
    / sum(l_price * (1 - l_discount)) FROM lineitem JOIN part ON l_partkey = p_partkey""",
    """SELECT c_name, c_custkey, o_orderkey, o_orderdate, sum(l_quantity) FROM customer
    JOIN orders ON c_custkey = o_custkey JOIN lineitem ON o_orderkey = l_orderkey WHERE o_orderkey IN
    (SELECT l_orderkey FROM lineitem GROUP BY l_orderkey HAVING sum(l_quantity) > 150)
    GROUP BY 1, 2, 3, 4 ORDER BY 5 DESC LIMIT 100""",
)


def write_tables(session: Any, folder: str) -> None:
    for name, query in TABLES.items():
        session.sql(query).write.parquet(f"{folder}/{name}")


def make_views(session: Any, folder: str) -> None:
    for name in TABLES:
        session.read.parquet(f"{folder}/{name}").createOrReplaceTempView(name)


def make_queries(session: Any, folder: str) -> Unit:
    """Eight queries like TPC-H's on generated parquet."""
    make_views(session, folder)

    def unit() -> None:
        for query in QUERIES:
            _consume(session.sql(query))

    return unit


def make_shuffle(session: Any, _folder: str) -> Unit:
    """Ten million rows through a shuffle and a sort, in off-heap memory."""

    def unit() -> None:
        made = session.range(10_000_000).selectExpr("id", "hash(id) AS key", "cast(id AS string) AS text")
        _consume(made.repartition(8, "key").sortWithinPartitions("text"))

    return unit


def make_pandas_udf(session: Any, _folder: str) -> Unit:
    """Arrow batches to Python and back: a pandas_udf and a grouped map."""
    from pyspark.sql import functions

    def scaled(values: Any) -> Any:
        return (values * 1.5).rolling(10, min_periods=1).mean()

    scale = functions.pandas_udf(scaled, "double", functions.PandasUDFType.SCALAR)  # no type hints: nothing to import

    def centred(frame: Any) -> Any:
        return frame.assign(x=frame.x - frame.x.mean())

    def unit() -> None:
        made = session.range(8_000_000).select(
            (functions.col("id") % 40).alias("key"), functions.col("id").cast("double").alias("x")
        )
        _consume(made.select(scale("x")))
        _consume(made.groupBy("key").applyInPandas(centred, "key long, x double"))

    return unit


def make_udf(session: Any, _folder: str) -> Unit:
    """Ten queries, each of 20,000 rows through a plain UDF: planning, both ends of the pipe, and the Python between."""
    from pyspark.sql import functions

    def label(number: int) -> str:
        return f"{number % 97}-{number * number}"

    labelled = functions.udf(label, "string")

    def unit() -> None:
        for _ in range(10):
            _consume(session.range(20_000).select(labelled("id").alias("label")))

    return unit


def make_driver(session: Any, folder: str) -> Unit:
    """What a driver does: plans the eight queries, runs 20 jobs of 50 short tasks, collects 200,000 rows."""
    make_views(session, folder)

    def unit() -> None:
        for query in QUERIES:
            session.sql(query)._jdf.queryExecution().executedPlan()
        for _ in range(20):
            session.range(0, 5_000, 1, 50).selectExpr("sum(id)").collect()
        session.range(200_000).selectExpr("uuid()").collect()

    return unit


class Workload(NamedTuple):
    make: Callable[[Any, str], Unit]
    conf: dict[str, str] | None = None  # of the application
    bound: float = 1.02  # of sparkmemprof at its default interval, with liveness, off-heap and native memory
    of_driver: bool = False  # only the driver's JVM is measured; the executors have JVMs of their own, profiled as well


OFF_HEAP = {"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "512m"}
CLUSTER = {"spark.master": "local-cluster[2,1,1024]"}
WORKLOADS = {
    "SQL": Workload(make_sql),
    "queries": Workload(make_queries),
    "shuffle, off-heap": Workload(make_shuffle, OFF_HEAP),
    "pandas_udf": Workload(make_pandas_udf),
    "UDF of 20,000 rows": Workload(make_udf, bound=1.03),
    "driver": Workload(make_driver, CLUSTER, bound=1.01, of_driver=True),
}
