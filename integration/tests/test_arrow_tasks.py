"""What of Arrow's pool is a task's, by pyarrow's own counters, whichever allocator is behind it."""

import pytest
from conftest import warnings_of

# Arrow's buffers are multiples of 64 bytes.
LARGE_BYTES, KEPT_BYTES = ((size + 63) // 64 * 64 for size in (47_654_321, 7_654_321))
BATCHES_BYTES = 200_000  # Spark's own, beside the job's buffers


@pytest.mark.one_line
@pytest.mark.parametrize("pool", ["default", pytest.param("system", marks=pytest.mark.full)])
def test_pool_of_each_task(spark_run, pool):
    run = spark_run("arrow_tasks.py", master="local[1]", conf={"spark.memprof.python.arrowPool": pool}.items())
    report = run.demand_success().report()
    assert warnings_of(run) == []
    ((name, _),) = {tuple(row) for row in run.result()}  # one pool, and one worker for all
    assert name == "system" if pool == "system" else name in ("mimalloc", "jemalloc")
    stages = sorted(report["stages"], key=lambda stage: stage["stageId"])
    large, small, keeps = (stage for stage in stages if stage["arrowPoolEndBytes"] is not None)

    assert 0 <= large["arrowPoolPeakBytes"] - LARGE_BYTES < BATCHES_BYTES
    assert large["arrowPoolEndBytes"] < BATCHES_BYTES
    assert abs(large["arrowPoolGrowthBytes"]) < BATCHES_BYTES

    assert small["arrowPoolPeakBytes"] is None  # below that of the task before
    assert abs(small["arrowPoolGrowthBytes"]) < BATCHES_BYTES

    assert keeps["arrowPoolPeakBytes"] is None
    assert 0 <= keeps["arrowPoolEndBytes"] - KEPT_BYTES < BATCHES_BYTES
    assert abs(keeps["arrowPoolGrowthBytes"] - KEPT_BYTES) < BATCHES_BYTES
