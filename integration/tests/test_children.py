"""Processes that a task's function starts: what they hold is the task's, on real Spark."""

import pytest
from conftest import JOBS, demand_blocks, line_of, sites_at, warnings_of

pytestmark = pytest.mark.one_line("4")

HELPER, MARKER = "children_helper.py", "held by a child"
SIZES = {"fork": 3_100_019, "spawn": 3_200_003, "forkserver": 3_300_011}


@pytest.fixture(scope="session")
def stages(shared_run):
    run = shared_run("children.py", conf={"spark.submit.pyFiles": JOBS / HELPER}).demand_success()
    assert run.result() == dict.fromkeys(SIZES, 0)
    assert warnings_of(run) == []
    return dict(zip(SIZES, sorted(run.report()["stages"], key=lambda stage: stage["stageId"]), strict=True))


@pytest.mark.parametrize("way", SIZES)
def test_what_a_child_holds_is_its_tasks(stages, way):
    (site,) = sites_at(stages[way]["sites"], HELPER, MARKER)
    demand_blocks(site, SIZES[way], tasks=1)
    (line,) = [row for row in stages[way]["lines"] if (row["file"], row["line"]) == (HELPER, line_of(HELPER, MARKER))]
    assert line["source"] == "block = bytearray(size)  # held by a child", "a file that came by --py-files"
    assert "in_a_process (children.py:" in line["udf"]
