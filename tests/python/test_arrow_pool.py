"""Arrow's pool by its own counters: what of them is a task's."""

import os
import sys
import types

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "pyworker-shim"))
from sparkmemprof.arrow_pool import ArrowPool, arrow_pool, choose_arrow_pool, counters_of_task


def pyarrow_with(allocated, most):
    pool = types.SimpleNamespace(bytes_allocated=lambda: allocated, max_memory=lambda: most)
    return types.SimpleNamespace(default_memory_pool=lambda: pool)


def test_pyarrow_is_read_where_it_is_loaded_and_never_imported(monkeypatch):
    monkeypatch.delitem(sys.modules, "pyarrow", raising=False)
    assert arrow_pool() is None
    assert "pyarrow" not in sys.modules
    monkeypatch.setitem(sys.modules, "pyarrow", types.SimpleNamespace())  # half imported
    assert arrow_pool() is None
    monkeypatch.setitem(sys.modules, "pyarrow", pyarrow_with(1_234_567, 7_654_321))
    assert arrow_pool() == ArrowPool(1_234_567, 7_654_321)
    monkeypatch.setitem(sys.modules, "pyarrow", pyarrow_with(5, None))  # a pool that keeps no maximum
    assert arrow_pool() == ArrowPool(5, 0)


@pytest.mark.parametrize(
    ("before", "after", "begin", "end", "peak"),
    [
        (None, ArrowPool(7, 5001), 0, 7, {"arrowPoolPeakBytes": 5001}),  # loaded by the task
        (ArrowPool(10, 4000), ArrowPool(20, 9001), 10, 20, {"arrowPoolPeakBytes": 9001}),  # the task has raised it
        (ArrowPool(10, 9001), ArrowPool(3333, 9001), 10, 3333, {}),  # an earlier one had
        (ArrowPool(4444, 9001), ArrowPool(0, 9001), 4444, 0, {}),
        (None, ArrowPool(0, 0), 0, 0, {}),
    ],
)
def test_the_peak_is_the_tasks_or_not_known(before, after, begin, end, peak):
    assert counters_of_task(before, after) == {"arrowPoolBeginBytes": begin, "arrowPoolEndBytes": end} | peak


def test_no_counters_without_pyarrow():
    assert counters_of_task(None, None) == {}


def test_the_users_choice_stands(monkeypatch):
    monkeypatch.delenv("ARROW_DEFAULT_MEMORY_POOL", raising=False)
    choose_arrow_pool("default")
    assert "ARROW_DEFAULT_MEMORY_POOL" not in os.environ
    choose_arrow_pool("system")
    assert os.environ["ARROW_DEFAULT_MEMORY_POOL"] == "system"
    monkeypatch.setenv("ARROW_DEFAULT_MEMORY_POOL", "mimalloc")
    choose_arrow_pool("system")
    assert os.environ["ARROW_DEFAULT_MEMORY_POOL"] == "mimalloc"
