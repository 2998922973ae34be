"""Twenty deaths at random moments, ten on each Spark line: each has its post-mortem, and it is right.

Many more of them: integration/chaos.sh.
"""

import json
import pathlib
import sys
import time

import pytest
from conftest import ROOT, Launcher, Standalone, warnings_of
from memory_cgroups import container, entering
from processes import patient

sys.path.insert(0, str(ROOT / "integration/chaos"))
import storm

pytestmark = pytest.mark.full

DEATHS = 10
ROWS = 1000


@pytest.fixture
def containers():
    with container(storm.LIMIT_BYTES) as first, container(storm.LIMIT_BYTES) as second:
        yield [first, second]


def left_in(folder):
    """What is left once the executors have had time to end."""
    end = time.monotonic() + patient(20)
    while (found := [*folder.rglob("*.box"), *folder.rglob("*.words")]) and time.monotonic() < end:
        time.sleep(0.2)
    return found


def test_every_death_is_told_rightly_and_leaves_nothing(spark, jar, tmp_path, containers):
    spark = spark.as_shipped()  # the limit has no room for pages of an archive of classes
    truth = tmp_path / "truth"
    truth.mkdir()
    cluster = Standalone(spark, tmp_path, workers=[entering(each) for each in containers], memory="1g")
    try:
        chaos = storm.Storm(Launcher(spark, jar, tmp_path), cluster, containers, truth, 20_011)
        run = chaos.run(DEATHS).demand_success()
    finally:
        cluster.stop()
    result = run.result()
    assert result["rows"] == ROWS * result["waves"]
    report = json.loads(next(pathlib.Path(run.reports).glob("*/report.json")).read_text())
    judged = chaos.judge(report)
    assert len(judged.verdicts) == DEATHS
    assert not judged.unasked, [death["headline"] for death in judged.unasked]
    assert [verdict for verdict in judged.verdicts if not verdict.told] == []
    assert [verdict for verdict in judged.verdicts if verdict.memory_right is False] == []
    assert [verdict for verdict in judged.verdicts if verdict.line_right is False] == []
    failed = sum(stage["otherAttempts"]["failed"] for stage in report["stages"])
    # Fewer where an executor died before it could say that its worker had.
    assert failed <= judged.dead_workers(), "a job that would have survived"
    assert left_in(chaos.boxes) == []
    assert not [line for line in warnings_of(run) if "corrupt" in line]
