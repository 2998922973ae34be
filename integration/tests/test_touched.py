"""Workers killed at 0, 50 and 99 % of a block: what the report says of its pages, and of what moment that is."""

import pytest
from conftest import BESIDE_BYTES, sites_at

pytestmark = pytest.mark.one_line  # 15 s: four kills, each a while after its block was filled

JOB = "touched.py"
BLOCK_BYTES = 1_000_000_007
WAIT_S = 2.5
WAYS = ["0+", "50+", "99+", "50"]  # percent filled; +: its pages are looked up after that
SLACK_BYTES = 4 << 20  # the kernel may have given huge pages


@pytest.fixture(scope="module")
def run(shared_run):
    return shared_run(JOB, str(BLOCK_BYTES), str(WAIT_S), *WAYS, master="local[1,2]").demand_success()


@pytest.fixture(scope="module")
def sites(run):
    assert run.result() == [1] * len(WAYS), "Spark's next attempts do the work"
    deaths = sorted(run.report()["postMortems"], key=lambda death: death["stageId"])
    assert [death["process"] for death in deaths] == ["python-worker"] * len(WAYS), [
        death["headline"] for death in deaths
    ]
    found = {}
    for how, death in zip(WAYS, deaths, strict=True):
        (found[how],) = sites_at(death["sites"], JOB, "block")
        assert 0 <= found[how]["liveAtPeakBytes"] - BLOCK_BYTES < BESIDE_BYTES
    return found


def test_the_time_line_has_what_native_libraries_held(run):
    (executor,) = run.report()["executors"]
    series = {each["name"]: each["bytes"] for each in executor["timeline"]["series"]}
    most = max(filter(None, series["python.native"]))
    assert BLOCK_BYTES // 2 - SLACK_BYTES < most < max(filter(None, series["python.workers"]))


@pytest.mark.parametrize("percent", [0, 50, 99])
def test_what_was_seen_is_told_with_its_age(sites, percent):
    site = sites[f"{percent}+"]
    assert site["residentAtPeakBytes"] == pytest.approx(BLOCK_BYTES * percent // 100, abs=SLACK_BYTES)
    assert site["residentAgeMs"] >= WAIT_S * 1000
    assert "residentLaterBytes" not in site, "it was held until the end"


def test_what_was_not_looked_up_is_not_told_as_nothing(sites):
    site = sites["50"]
    if site["residentAtPeakBytes"] is None:
        assert "residentAgeMs" not in site
    else:  # somebody allocated something meanwhile
        assert 0 < site["residentAtPeakBytes"] <= BLOCK_BYTES // 2 + SLACK_BYTES
        assert site["residentAgeMs"] >= 0
