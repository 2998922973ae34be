"""What jobs ask of the report while they run: they wait for it instead of for a time."""

import json
import os
import time

PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))


def report_of(context):
    return json.loads(bytes(context._jvm.org.sparkmemprof.MemoryProfilerPlugin.report()))


def await_report(context, condition, what, seconds=60):
    """Until condition(report) is true; `what` is awaited, in words."""
    end = time.monotonic() + seconds * PATIENCE
    while not condition(report_of(context)):
        assert time.monotonic() < end, f"the report never has {what}"
        time.sleep(0.2)


def sites_of(report):
    """Of all attempts, those that still run among them."""
    groups = [group for stage in report["stages"] for group in (stage, stage["otherAttempts"])]
    return [site for group in groups for site in group["sites"]]


def await_text(context, *ends):
    """Until the report has lines whose text ends so."""

    def has_them(report):
        texts = [line["source"] or "" for stage in report["stages"] for line in stage["lines"]]
        return all(any(text.endswith(end) for text in texts) for end in ends)

    await_report(context, has_them, f"lines that end with {ends}")
