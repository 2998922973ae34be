"""Finds the user's functions in a command that pyspark has unpickled."""

from __future__ import annotations

import functools
import types
from typing import Any, NamedTuple

MAX_FUNCTIONS = 8
"""So many are kept of one command; a chain of RDD operations may hold hundreds."""

_MAX_DEPTH = 64


class UserFunction(NamedTuple):
    name: str
    """Its ``__qualname__``."""
    file: str
    line: int
    """Its code's first line: that of ``def``, or of the first decorator above it."""


def user_functions(command: Any) -> list[UserFunction]:
    """The user's functions in a command, in the order in which they are applied, without repetitions.

    A command is a function, a class with ``eval`` (UDTF), or a tuple that begins with one of them. Partials, bound
    methods, callable objects and decorators that keep ``__wrapped__`` are looked through, and so are pyspark's own
    functions, which hold the user's in their closures. Functions without Python code (``len``) have no place and are
    left out.
    """
    found: list[UserFunction] = []
    _collect(command[0] if isinstance(command, tuple) and command else command, found, set(), 0)
    return found


def _collect(value: Any, found: list[UserFunction], seen: set[int], depth: int) -> None:
    if id(value) in seen or depth > _MAX_DEPTH or len(found) == MAX_FUNCTIONS:
        return
    seen.add(id(value))
    if isinstance(value, functools.partial):
        _collect(value.func, found, seen, depth + 1)
    elif isinstance(value, types.MethodType):
        _collect(value.__func__, found, seen, depth + 1)
    elif isinstance(value, type):
        for name in ("eval", "terminate"):
            method = vars(value).get(name)
            if method is not None:
                _collect(method, found, seen, depth + 1)
    elif isinstance(value, types.FunctionType):
        wrapped = getattr(value, "__wrapped__", None)
        if wrapped is not None:
            _collect(wrapped, found, seen, depth + 1)
        elif _is_of_pyspark(value):
            # Closures are sorted by name; in pyspark's pipelines that is `func`, the later one, before `prev_func`.
            for cell in reversed(value.__closure__ or ()):
                _collect(_content(cell), found, seen, depth + 1)
        else:
            code = value.__code__
            function = UserFunction(value.__qualname__, code.co_filename, code.co_firstlineno)
            if function not in found:
                found.append(function)
    elif callable(value) and not _is_of_pyspark(type(value)):
        call = type(value).__call__
        if isinstance(call, types.FunctionType):
            _collect(call, found, seen, depth + 1)


def _is_of_pyspark(value: Any) -> bool:
    module = getattr(value, "__module__", None)
    return isinstance(module, str) and (module == "pyspark" or module.startswith("pyspark."))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return None
