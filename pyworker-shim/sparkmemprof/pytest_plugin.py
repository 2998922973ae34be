"""A limit on the memory of a test's Spark tasks, for pytest::

    @pytest.mark.limit_spark_memory("64 MB")
    def test_parses_a_large_file(spark): ...

The test fails, with the heaviest lines of its UDFs, when one of its tasks held more than that in its Python worker:
Python objects, and what native libraries allocated there. pytest loads this where sparkmemprof is installed. In a run
without such a mark it does nothing. Otherwise each SparkContext that the tests make has the profiler in it.
"""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest

MARK = "limit_spark_memory"
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_MOST_LINES = 5
_NO_TASK = "the test ran no Spark task"
_WORKERS_ARE_OFF = ("profiling", "memory of Python workers")  # in the report's notAvailable


def pytest_configure(config: Any) -> None:
    told = f'{MARK}(most): fails if a Spark task of the test holds more memory in its Python worker, such as "64 MB"'
    config.addinivalue_line("markers", told)


def pytest_collection_finish(session: Any) -> None:
    if any(item.get_closest_marker(MARK) for item in session.items):
        session.config.pluginmanager.register(_Limits(), "sparkmemprof-limits")


class _Limits:
    """Hooks of a run that has marked tests."""

    def __init__(self) -> None:
        self._begin_ms = 0
        self._problem = ""  # why Spark is not profiled
        self._contexts: Any = None
        try:
            from sparkmemprof.profiled_contexts import ProfiledContexts

            self._contexts = ProfiledContexts()
        except Exception as error:  # it fails the marked tests; the others run as ever
            self._problem = f"Spark is not profiled: {error}"

    def pytest_unconfigure(self) -> None:
        if self._contexts is not None:
            self._contexts.remove()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_setup(self) -> None:
        """After a test's fixtures, because what they run is not the test's."""
        self._begin_ms = int(1000 * time.time())

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_call(self, item: Any) -> None:
        """After a test, and only if it passed."""
        mark = item.get_closest_marker(MARK)
        if mark is not None:
            problem = self._problem_with(_limit_of(mark))
            if problem:
                pytest.fail(f"{MARK}: {problem}", pytrace=False)

    def _problem_with(self, most: int) -> str:
        from sparkmemprof.application import report_since, running_report
        from sparkmemprof.cli.errors import UserError

        if self._problem:
            return self._problem
        try:
            content = running_report()
            report = json.loads(report_since(content, self._begin_ms))
            problem = _problem_in(report, most) or _why_unprofiled(report)
            if problem == _NO_TASK and json.loads(content)["otherStages"] is not None:
                return ""  # of a long session light stages have no row
            return problem
        except UserError as error:
            hint = "; or create it in a fixture, not before the tests are collected" if self._contexts.had_one else ""
            return f"{error}{hint}"


def _limit_of(mark: Any) -> int:
    """Bytes. Units are powers of 1024, as Spark's are. Fails the test if the mark doesn't say a size."""
    text = str(mark.args[0]) if len(mark.args) == 1 and not mark.kwargs else ""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text, re.IGNORECASE)
    if match is None or float(match[1]) <= 0:
        pytest.fail(f'{MARK}: want one size, such as "64 MB" or "1.5 GiB", not {mark.args}', pytrace=False)
    return int(float(match[1]) * _UNITS[match[2].lower()])


def _problem_in(report: dict[str, Any], most: int) -> str:
    """ "": its tasks kept within `most` bytes."""
    stages = [stage for stage in report["stages"] if stage["stageId"] >= 0]
    if not any(stage["taskRows"]["known"] for stage in stages):
        return _NO_TASK
    held, stage, row = max(
        ((held or 0, stage, row) for stage in stages for row, held in enumerate(_held_by_tasks(stage))),
        key=lambda task: task[0],
        default=(0, {}, 0),
    )
    return _over(held, stage, row, most) if held > most else ""


def _why_unprofiled(report: dict[str, Any]) -> str:
    """ "": Python workers are profiled, or the user has switched that off."""
    whys = [entry["why"] for entry in report["notAvailable"] if entry["what"] in _WORKERS_ARE_OFF]
    return f"Python workers are not profiled: {whys[0]}" if whys else ""


def _held_by_tasks(stage: dict[str, Any]) -> list[int | None]:
    return stage["taskRows"].get("pythonLiveAtPeakBytes", [])


def _over(held: int, stage: dict[str, Any], row: int, most: int) -> str:
    tasks = stage["taskRows"]
    task = f"task {tasks['taskAttemptIds'][row]} (stage {stage['stageId']}, partition {tasks['partitions'][row]})"
    lines = [f"at most {_size(most)}, but {task} held {_size(held)} in its Python worker; its stage's lines:"]
    for line in stage["lines"][:_MOST_LINES]:
        if line["liveAtPeakBytes"]:
            lines.append(f"  {_size(line['liveAtPeakBytes']):>10}  {_what(line)}")
    return "\n".join(lines)


def _what(line: dict[str, Any]) -> str:
    words = [line["place"], line["source"], line["udf"] and f"[{line['udf']}]"]
    return "  ".join(word for word in words if word)


def _size(number: int) -> str:
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if number >= 1 << power:
            return f"{number / (1 << power):.1f} {unit}"
    return f"{number} B"
