"""Every way in which Spark runs Python: the report names the kind, the function, and each line with its bytes."""

import dataclasses

import pytest
from conftest import BESIDE_BYTES, sites_at, warnings_of

JOB = "kinds.py"
SINCE_4 = "kinds_since_4.py"
HELPER = "kinds_helper.py"

# Where kinds_helper.everywhere(number) takes a block, and its size but for 101 * number.
PLACES = {
    "helper": 3_000_007,
    "method": 3_100_019,
    "generator": 3_200_027,
    "lambda": 3_300_037,
    "comprehension": 3_400_049,
}
OWN = 3_500_059


@dataclasses.dataclass
class Kind:
    udf_kind: str
    number: int
    calls: int = 1
    marker: str = ""  # of the function's own line, also the function's name; by default the kind's
    job: str = JOB


KINDS = {
    "plain": Kind("BATCHED_UDF", 1, calls=3),
    "arrow_optimised": Kind("ARROW_BATCHED_UDF", 2, calls=3),
    "series": Kind("SCALAR_PANDAS_UDF", 3),
    "aggregate": Kind("GROUPED_AGG_PANDAS_UDF", 4),
    "one_column": Kind("SCALAR_PANDAS_ITER_UDF", 5),
    "two_columns": Kind("SCALAR_PANDAS_ITER_UDF", 6),
    "over_window": Kind("WINDOW_AGG_PANDAS_UDF", 7),
    "map_pandas": Kind("MAP_PANDAS_ITER_UDF", 8),
    "map_arrow": Kind("MAP_ARROW_ITER_UDF", 9),
    "grouped_pandas": Kind("GROUPED_MAP_PANDAS_UDF", 10),
    "cogrouped_pandas": Kind("COGROUPED_MAP_PANDAS_UDF", 11),
    "with_state": Kind("GROUPED_MAP_PANDAS_UDF_WITH_STATE", 12),
    "each_batch": Kind("MAP_PANDAS_ITER_UDF", 14, marker="in_each_batch"),
    "plain_table": Kind("TABLE_UDF", 15, marker="PlainTable.eval"),
    "arrow_table": Kind("ARROW_TABLE_UDF", 16, marker="ArrowTable.eval"),
    "of_map": Kind("RDD", 17, calls=3),
    "of_map_partitions": Kind("RDD", 18, calls=3),
    "of_reduce_by_key": Kind("RDD", 19, calls=2),
    "of_aggregate": Kind("RDD", 20, calls=3),
    "of_foreach_partition": Kind("RDD", 21),
    "pandas_on_spark": Kind("SCALAR_PANDAS_UDF", 22, calls=3),
    "chain": Kind("BATCHED_UDF", 24, calls=3, marker="outer_of_chain"),
    "grouped_arrow": Kind("GROUPED_MAP_ARROW_UDF", 31, job=SINCE_4),
    "cogrouped_arrow": Kind("COGROUPED_MAP_ARROW_UDF", 32, job=SINCE_4),
    "of_arrow": Kind("SCALAR_ARROW_UDF", 33, job=SINCE_4),
    "Processor": Kind("TRANSFORM_WITH_STATE_PANDAS_UDF", 34, marker="Processor.handleInputRows", job=SINCE_4),
    "Reader": Kind("DATA_SOURCE_READ", 35, calls=3, marker="Reader.read", job=SINCE_4),
    "Writer": Kind("DATA_SOURCE_WRITE", 36, marker="Writer.write", job=SINCE_4),
}

THREE = [0, 1, 2]
RESULTS = {
    **dict.fromkeys(KINDS, THREE),
    "aggregate": [3],
    "two_columns": [0, 2, 4],
    "over_window": [3, 3, 3],
    "cogrouped_pandas": [6],
    "with_state": 3,
    "each_batch": 3,
    "plain_table": [42],
    "arrow_table": [42],
    "of_reduce_by_key": [[1, 3]],
    "of_aggregate": 3,
    "of_foreach_partition": None,
    "Processor": 3,
    "Writer": None,
}


@pytest.fixture(scope="session")
def kinds_run(shared_run):
    run = shared_run(JOB).demand_success()
    assert warnings_of(run) == []
    return run


@pytest.fixture(scope="session")
def sites(kinds_run):
    """Python's sites of all stages, of attempts that count."""
    return [site for stage in kinds_run.report()["stages"] for site in stage["sites"] if site["origin"] == "python"]


def demand(sites, job, marker, size, calls):
    """These sites hold, at the marked line, exactly so many blocks, each taken by one call."""
    asked = size + 1  # a bytearray asks for one byte more than its length
    found = sites_at(sites, job, marker)
    blocks = sum(site["allocatedBytes"] // asked for site in found)
    beside = sum(site["allocatedBytes"] % asked for site in found)
    assert blocks == calls, f"{marker}: {found}"
    assert beside == 0 if not any(site["sampled"] for site in found) else beside < BESIDE_BYTES


@pytest.mark.parametrize("kind", KINDS)
def test_kind(kinds_run, sites, line, kind):
    expected = KINDS[kind]
    if line == "3.5" and expected.job == SINCE_4:
        assert kind not in kinds_run.result()
        pytest.skip(f"Spark 3.5 has no such kind: {expected.udf_kind}")
    assert kinds_run.result()[kind] == RESULTS[kind]
    function = expected.marker or kind
    of_kind = [site for site in sites if site["udfName"] == function]
    assert {site["udfKind"] for site in of_kind} == {expected.udf_kind}
    demand(of_kind, expected.job, function, OWN + 101 * expected.number, expected.calls)
    for place, size in PLACES.items():
        demand(of_kind, HELPER, place, size + 101 * expected.number, expected.calls)


def test_every_block_of_the_helper_belongs_to_a_function(kinds_run, sites):
    """Its lines serve all kinds: none of their blocks is charged to nobody, or to a function that does not call it."""
    callers = {expected.marker or kind for kind, expected in KINDS.items() if kind in kinds_run.result()}
    assert len(callers) >= 22
    for place in PLACES:
        assert {site["udfName"] for site in sites_at(sites, HELPER, place)} == callers


def test_functions_of_a_chain_are_told_apart(sites):
    of_inner = [site for site in sites if site["udfName"] == "<lambda>" and site["udfKind"] == "BATCHED_UDF"]
    demand(of_inner, JOB, "inner", OWN + 101 * 23, calls=3)


@pytest.mark.parametrize(
    ("function", "number", "calls"), [("first_of_chain", 25, 3), ("second_of_chain", 26, 3), ("last_of_chain", 27, 1)]
)
def test_functions_of_a_chain_of_rdds_are_told_apart(kinds_run, sites, function, number, calls):
    """PySpark makes one function of them, in which the last one runs those before it."""
    assert kinds_run.result()["chain_of_rdds"] == THREE
    of_function = [site for site in sites if site["udfName"] == function and site["udfKind"] == "RDD"]
    demand(of_function, JOB, function, OWN + 101 * number, calls)


@pytest.mark.parametrize("function", ["called_back", "calls_back"])
def test_what_a_function_of_a_chain_calls_itself_is_its_own(kinds_run, sites, function):
    """The one is applied to three numbers, and the other calls it for each of them."""
    assert kinds_run.result()["chain_that_calls_back"] == THREE
    of_function = [site for site in sites if site["udfName"] == function and site["udfKind"] == "RDD"]
    demand(of_function, JOB, "called_back", OWN + 101 * 28, calls=3)


def test_rows_that_a_table_functions_helper_gives_are_of_the_function(kinds_run, sites):
    """`eval` returns the generator of another method, which PySpark resumes when `eval` is over."""
    assert kinds_run.result()["lazy_table"] == [42]
    assert {site["udfName"] for site in sites_at(sites, JOB, "lazy_rows")} == {"LazyTable.eval"}


def test_what_runs_in_the_driver_is_not_there(sites):
    """foreachBatch: the driver's Python is not profiled, and nobody in an executor is charged with its block."""
    assert sites_at(sites, JOB, "each_batch") == []
