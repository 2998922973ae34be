"""report.json keeps to docs/report.schema.json."""

import json

import jsonschema
import pytest

from .conftest import ROOT

SCHEMA = json.loads((ROOT / "docs" / "report.schema.json").read_text())


def errors(report):
    validator = jsonschema.Draft202012Validator(SCHEMA)
    return [f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(report)]


def test_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_sample_report_is_valid(sample_report):
    assert errors(json.loads(sample_report)) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda report: report.pop("counters"),
        lambda report: report.update(schemaVersion="1"),
        lambda report: report["stages"][1]["sites"][0].update(liveAtPeakBytes="400 MB"),
        lambda report: report["stages"][1]["sites"][0].update(origin="heap"),
        lambda report: report["executors"][0].update(limitSource="guess"),
        lambda report: report["executors"][0]["processes"][0].pop("unattributedBytes"),
    ],
)
def test_schema_refuses(sample_report, spoil):
    report = json.loads(sample_report)
    spoil(report)
    assert errors(report)


def test_totals_are_sites_and_remainders(sample_report):
    report = json.loads(sample_report)
    for stage in report["stages"]:
        for group in (stage, stage["otherAttempts"]):
            for total in group["totals"]:
                parts = [part for part in group["sites"] + group["remainders"] if part["origin"] == total["origin"]]
                assert sum(part["allocatedBytes"] for part in parts) == total["allocatedBytes"]


def test_sites_are_sorted_by_live_at_peak(sample_report):
    for stage in json.loads(sample_report)["stages"]:
        weights = [
            (site["liveAtPeakBytes"] is not None, site["liveAtPeakBytes"] or 0, site["allocatedBytes"])
            for site in stage["sites"]
        ]
        assert weights == sorted(weights, reverse=True)
