"""Acts on a module of the program's as soon as it has been imported. Importing it here would choose its version."""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Callable


def when_imported(act: Callable[[], bool]) -> None:
    """Calls `act` now and with each later import until it returns True. Never raises."""
    finder = _EachImport(act)
    if not finder.has_acted():
        sys.meta_path = [finder, *sys.meta_path]


class _EachImport:
    """Finds no module. It notices that one has been imported when the next one is searched for."""

    def __init__(self, act: Callable[[], bool]) -> None:
        self._act = act

    def has_acted(self) -> bool:
        with contextlib.suppress(Exception):
            return self._act()
        return False

    def find_spec(self, _name: str, _path: Any = None, _target: Any = None) -> None:
        if self.has_acted():  # a new list: an import, this one at least, is going through the other
            sys.meta_path = [finder for finder in sys.meta_path if finder is not self]
