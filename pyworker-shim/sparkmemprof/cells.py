"""Tells the driver's JVM what the user of a notebook calls its cells: In[n], with their text; and which scripts ran.

Workers know a cell by the name that its kernel compiled it under, which holds a hash. Only IPython, in the driver's
Python, knows which cell that is. A cell is told as it is compiled, so that its name is right while its jobs run. Cells
that ran before there was an application are told after the next one. What %run has defined goes to executors by value,
without the script that it is in: the JVM reads that here. Standard library only; IPython is the user's own.
"""

from __future__ import annotations

import functools
import linecache
import os
import sys
import types
from typing import Any, Callable

from .telling import Teller, active_context

_MOST_CELLS = 4096  # of an application, as many as its store keeps (Interner::kMostShownAs)
_MOST_TEXT = 64 << 10  # characters of a cell; a longer one has its number only
_MOST_SCRIPTS, _MOST_VALUES, _MOST_WRAPPERS = 64, 10_000, 8

_cells: _Cells | None = None


def follow() -> bool:
    """Tells of this notebook's cells from now on, and of those before; waits briefly until the JVM knows them.

    False: this is no notebook. May raise.
    """
    global _cells
    if _cells is None:
        get_shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", None)
        shell = get_shell() if get_shell is not None else None
        if shell is None:
            return False
        _cells = _Cells(shell)
        _cells.start()
    _cells.has_run()
    _cells.teller.wait()
    return True


class _Cells:
    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._context: Any = None
        self._known: dict[str, int] = {}  # name -> number, of this context's
        self._scripts: set[tuple[Any, str, Any]] = set()  # of the teller's thread
        self.teller = Teller()

    def start(self) -> None:
        self._shell.compile.cache = self._around(self._shell.compile.cache)
        self._shell.events.register("post_run_cell", self.has_run)

    def has_run(self, _result: Any = None) -> None:
        """IPython's event: a cell has run. Never raises. Finds the cells that were compiled before."""
        try:
            for name in getattr(self._shell.compile, "_filename_map", {}):  # IPython's own, for tracebacks
                self._note(name)
            self._note_scripts()
        except Exception:
            return

    def _around(self, cache: Callable[..., str]) -> Callable[..., str]:
        """Around what IPython calls before it compiles a cell, to choose its name and to keep its text."""

        @functools.wraps(cache)
        def noted(*args: Any, **kwargs: Any) -> str:
            name = cache(*args, **kwargs)
            try:
                self._note(name, len(self._shell.history_manager.input_hist_parsed) - 1)
            except Exception:
                return name
            return name

        return noted

    def _note(self, name: str, number: int = 0) -> None:
        """A cell's number is the last of the history while it is compiled. IPython's own for a name is another one for
        code within a cell (%%capture), and for code that is not in the history: those are known by their text."""
        context = active_context()
        if context is not self._context:
            self._context, self._known = context, {}
        if context is None:
            return
        number = number or self._number_of(name)
        if number <= 0 or self._known.get(name) == number or len(self._known) >= _MOST_CELLS:
            return
        self._known[name] = number
        self.teller.tell(context, functools.partial(_tell_cell, name, number))

    def _note_scripts(self) -> None:
        """What the notebook's own functions and classes are written in; cells are not among it."""
        if self._context is None or self.teller.untold() > _MOST_CELLS:
            return
        cells = getattr(self._shell.compile, "_filename_map", {})
        values = list(self._shell.user_ns.values())[:_MOST_VALUES]
        for name in {_file_of(function) for value in values for function in _functions_of(value)}:
            if name.endswith(".py") and os.path.isabs(name) and name not in cells:
                self.teller.tell(self._context, functools.partial(self._tell_script, self._context, name))

    def _number_of(self, name: str) -> int:
        """0: it is none of the history's."""
        if name in self._known:
            return self._known[name]
        number = self._shell.compile._filename_map[name]
        inputs = self._shell.history_manager.input_hist_parsed
        is_input = number < len(inputs) and inputs[number].rstrip() == _text_of(name).rstrip()
        return number if is_input else 0

    def _tell_script(self, context: Any, name: str, plugin: Any) -> None:
        state = (context, name, _state_of(name))
        if state[-1] is not None and state not in self._scripts and len(self._scripts) < _MOST_SCRIPTS:
            self._scripts.add(state)
            plugin.script(name)


def _tell_cell(name: str, number: int, plugin: Any) -> None:
    text = _text_of(name)
    plugin.notebookCell(name, number, text if len(text) <= _MOST_TEXT else "")


def _functions_of(value: Any) -> list[Any]:
    """A function, or what a class defines. No attribute of anything else is asked for: it may be whatever the user has,
    and may call the JVM for an answer."""
    if issubclass(type(value), type):
        members = [value, *vars(value).values()] if vars(value).get("__module__") == "__main__" else []
        return [member for member in members if type(member) is types.FunctionType]
    return [value] if type(value) is types.FunctionType and value.__module__ == "__main__" else []


def _file_of(function: Any) -> str:
    """Of the user's own function within those that decorators (PySpark's udf) have put around it."""
    for _ in range(_MOST_WRAPPERS):
        inner = vars(function).get("__wrapped__")
        if type(inner) is not types.FunctionType:
            break
        function = inner
    return function.__code__.co_filename


def _state_of(script: str) -> tuple[int, int] | None:
    """Differs once the file has been changed; None: it has gone, or can't be read."""
    try:
        found = os.stat(script)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _text_of(name: str) -> str:
    return "".join(linecache.getlines(name))
