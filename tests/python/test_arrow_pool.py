"""Which pool Arrow is told to use."""

import os
import sys

from conftest import ROOT

sys.path.insert(0, str(ROOT / "pyworker-shim"))
from sparkmemprof.arrow_pool import choose_arrow_pool


def test_the_users_choice_stands(monkeypatch):
    monkeypatch.delenv("ARROW_DEFAULT_MEMORY_POOL", raising=False)
    choose_arrow_pool("default")
    assert "ARROW_DEFAULT_MEMORY_POOL" not in os.environ
    choose_arrow_pool("system")
    assert os.environ["ARROW_DEFAULT_MEMORY_POOL"] == "system"
    monkeypatch.setenv("ARROW_DEFAULT_MEMORY_POOL", "mimalloc")
    choose_arrow_pool("system")
    assert os.environ["ARROW_DEFAULT_MEMORY_POOL"] == "mimalloc"
