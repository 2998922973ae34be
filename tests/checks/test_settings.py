"""Settings of the user's that the driver keeps."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Advice names them, and reads none of them.
ONLY_NAMED = {"spark.driver.extraJavaOptions", "spark.executor.extraJavaOptions", "spark.python.worker.reuse"}


def literals(*folders):
    files = [file for folder in folders for file in (ROOT / "common" / folder).rglob("*.cc")]
    return {name for file in files for name in re.findall(r'"((?:spark|yarn)\.[\w.-]+\w)"', file.read_text())}


def test_every_setting_that_advice_reads_is_kept():
    """Where the driver drops it, advice takes Spark's default for the user's value."""
    kept = re.search(r"kKeys = \{(.*?)\};", (ROOT / "common/budget/budget.cc").read_text(), re.DOTALL)[1]
    read = literals("advice", "budget", "postmortem", "rollup") - ONLY_NAMED
    assert len(read) > 20
    assert read <= set(re.findall(r'"([^"]+)"', kept))
