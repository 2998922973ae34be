"""Acts on a module of the program's as soon as it has been imported, without importing it: that would choose its version."""

from __future__ import annotations

import sys
from typing import Any, Callable


def when_imported(act: Callable[[], bool]) -> None:
    """Calls `act`, which must not raise, now and with each later import until it returns True."""
    if not act():
        sys.meta_path.insert(0, _EachImport(act))


class _EachImport:
    """Finds no module. It notices that one has been imported when the next one is searched for."""

    def __init__(self, act: Callable[[], bool]) -> None:
        self._act = act

    def find_spec(self, _name: str, _path: Any = None, _target: Any = None) -> None:
        if self._act() and self in sys.meta_path:
            sys.meta_path.remove(self)
