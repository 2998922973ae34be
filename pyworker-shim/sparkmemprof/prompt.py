"""Tells the driver's JVM the text of what was typed at Python's own prompt, as in PySpark's shell.

From CPython 3.13 on the interpreter keeps that text, each input under a name of its own; workers know no more than the
name. Nothing says that something was typed, so this looks once a second. Standard library only.
"""

from __future__ import annotations

import functools
import linecache
import re
import threading
import time
from typing import Any

from .telling import Teller, active_context

_NAME = re.compile(r"<python-input-\d+>|<stdin-\d+>|<stdin>-\d+")  # with a capable terminal, and without
_MOST_INPUTS = 4096  # of an application
_MOST_TEXT = 64 << 10  # characters of one
_EACH_S = 1.0

_prompt: _Prompt | None = None


def follow() -> None:
    """Tells what is typed from now on, and what was before; waits briefly until the JVM knows that. May raise."""
    global _prompt
    if _prompt is None:
        if not _inputs():
            return
        _prompt = _Prompt()
        threading.Thread(target=_prompt.keep_looking, name="sparkmemprof-prompt", daemon=True).start()
    _prompt.look()
    _prompt.teller.wait()


class _Prompt:
    def __init__(self) -> None:
        self.teller = Teller()
        self._lock = threading.Lock()
        self._context: Any = None
        self._known: set[str] = set()  # names that this context's JVM has been told

    def keep_looking(self) -> None:
        while True:
            time.sleep(_EACH_S)
            try:
                self.look()
            except Exception:  # another CPython keeps its inputs in another way
                return

    def look(self) -> None:
        context = active_context()
        with self._lock:
            if context is not self._context:
                self._context, self._known = context, set()
            if context is None:
                return
            for name, lines in _inputs().items():
                if name not in self._known and len(self._known) < _MOST_INPUTS:
                    self._known.add(name)
                    self.teller.tell(context, functools.partial(_tell, name, lines))


def _inputs() -> dict[str, list[str]]:
    """The lines of each input, by its name."""
    entries: list[tuple[str, Any]] = list(linecache.cache.items())  # the first 3.13
    by_code: dict[Any, Any] = getattr(linecache, "_interactive_cache", {})  # by input, function and line
    entries += [(key[0], entry) for key, entry in list(by_code.items())]
    return {name: entry[2] for name, entry in entries if _NAME.fullmatch(str(name)) and len(entry) > 2}


def _tell(name: str, lines: list[str], plugin: Any) -> None:
    text = "".join(lines)
    if len(text) <= _MOST_TEXT:
        plugin.notebookCell(name, 0, text)
