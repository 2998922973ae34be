"""Pools of libraries: pages of one of their own, charged to no line; and exact lines where Arrow's is malloc."""

import pytest
from conftest import BESIDE_BYTES, line_of, python_line

pytestmark = pytest.mark.one_line

JOB = "arrow_pool.py"
BUFFER_BYTES = 47_654_321  # the job's own
PADDED_BYTES = (BUFFER_BYTES + 63) // 64 * 64  # Arrow's buffers are multiples of 64 bytes


POLARS_JOB = "polars_pool.py"
COLUMN_BYTES = 8 * 7_654_321  # the job's own


def charged_to_the_line(report, job=JOB, marker="arrow buffer"):
    sites = [site for stage in report["stages"] for site in stage["sites"]]
    return sum(site["allocatedBytes"] for site in sites if python_line(site) == (job, line_of(job, marker)))


def workers_row(report, prefix):
    """The largest row of that name, of all workers."""
    processes = [p for executor in report["executors"] for p in executor["processes"] if p["kind"] == "python-worker"]
    rows = [row["bytes"] for p in processes for row in p["peakRows"] if row["name"].startswith(prefix)]
    return max(rows, default=0)


def test_the_pool_of_arrows_choice_is_nobodys_line(spark_run):
    run = spark_run(JOB).demand_success()
    report = run.report()
    assert run.result()[0] in ("mimalloc", "jemalloc")
    assert charged_to_the_line(report) < BESIDE_BYTES
    # Its pages, and no more of the address space that it reserves.
    assert BUFFER_BYTES <= workers_row(report, "pool: pyarrow/libarrow.so") < 2 * BUFFER_BYTES


def test_systems_pool_gives_exact_lines(spark_run):
    run = spark_run(JOB, conf={"spark.memprof.python.arrowPool": "system"}.items()).demand_success()
    report = run.report()
    assert run.result() == ["system"]
    assert PADDED_BYTES <= charged_to_the_line(report) < PADDED_BYTES + BESIDE_BYTES
    assert workers_row(report, "native: pyarrow/libarrow.so") >= BUFFER_BYTES


@pytest.mark.full
def test_the_users_own_choice_stands(spark_run):
    run = spark_run(
        JOB,
        conf={"spark.memprof.python.arrowPool": "system"}.items(),
        environment={"ARROW_DEFAULT_MEMORY_POOL": "mimalloc"}.items(),
    ).demand_success()
    assert run.result() == ["mimalloc"]


def test_what_polars_holds_is_its_pools_and_nobodys_line(spark_run):
    run = spark_run(POLARS_JOB).demand_success()
    report = run.report()
    assert run.result() == [COLUMN_BYTES]
    assert charged_to_the_line(report, POLARS_JOB, "polars column") < COLUMN_BYTES / 100
    assert COLUMN_BYTES <= workers_row(report, "pool: polars") + workers_row(report, "pool: _polars") < 2 * COLUMN_BYTES
