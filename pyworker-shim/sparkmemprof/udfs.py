"""Finds the user's functions in a command that pyspark has unpickled."""

from __future__ import annotations

import functools
import types
from typing import Any, NamedTuple

MAX_FUNCTIONS = 64
"""Functions looked for in one command; a chain of RDD operations may hold hundreds."""

_MAX_DEPTH = 64
_MAX_LOOKED_AT = 1_000
"""Values examined; there is no other bound for what pyspark's own objects hold."""

_METHODS_OF_A_TABLE_FUNCTION = ("eval", "terminate", "cleanup", "__init__")
_METHODS_OF_AN_OBJECT = (
    *("read", "write"),  # a data source's reader and writer
    *("handleInputRows", "handleExpiredTimer", "handleInitialState", "init", "close"),  # a stateful processor
)
"""Those that pyspark calls in tasks. What it calls in the driver only (partitions, commit) is left out."""

_KINDS_OF_PYSPARKS_OWN = {
    "pyspark.sql.worker.plan_data_source_read": "DATA_SOURCE_READ",
    "pyspark.sql.worker.write_into_data_source": "DATA_SOURCE_WRITE",
}


class UserFunction(NamedTuple):
    name: str
    """Its ``__qualname__``, or where it was given another ``__name__`` that name, by which Spark's plan shows it."""
    file: str
    line: int
    """Its code's first line: that of ``def``, or of the first decorator above it."""
    code: types.CodeType
    given_name: str
    """Its ``__name__``."""
    may_be_named: bool
    """Stacks may show its code by the given name: it runs for no other function that this one calls."""


def user_functions(command: Any) -> list[UserFunction]:
    """The user's functions in a command, in the order in which they are applied, without repetitions.

    A command is a function, a class with ``eval`` (UDTF), or a tuple that begins with one of them. Partials, bound
    methods, callable objects and decorators that keep ``__wrapped__`` are looked through, and so are pyspark's own
    functions and objects, which hold the user's in their closures and attributes: functions, or objects whose class
    extends one of pyspark's (a data source's reader, a stateful processor). Functions without Python code (``len``)
    have no place and are left out.
    """
    found: list[UserFunction] = []
    _collect(_first(command), found, set(), 0)
    return found


def _described(function: types.FunctionType) -> UserFunction:
    code, given = function.__code__, function.__name__
    qualified = function.__qualname__
    name = qualified if given == qualified.rpartition(".")[2] else given
    calls_sibling = any(_is_sibling(_content(cell), function) for cell in _cells(function))
    return UserFunction(name, code.co_filename, code.co_firstlineno, code, given, not calls_sibling)


def _cells(function: types.FunctionType) -> tuple[types.CellType, ...]:
    return function.__closure__ or ()


def _is_sibling(value: Any, function: types.FunctionType) -> bool:
    """Of the same factory, and pickled together with it."""
    return (
        isinstance(value, types.FunctionType)
        and value.__code__ is function.__code__
        and value.__name__ != function.__name__
    )


def kind_of_command(command: Any) -> str | None:
    """The command's kind, where pyspark runs it as a kind of function that the user never wrote; otherwise None."""
    return _KINDS_OF_PYSPARKS_OWN.get(getattr(_first(command), "__module__", None))


def _first(command: Any) -> Any:
    return command[0] if isinstance(command, tuple) and command else command


def _collect(value: Any, found: list[UserFunction], seen: set[int], depth: int) -> None:
    if id(value) in seen or depth > _MAX_DEPTH or len(found) == MAX_FUNCTIONS or len(seen) == _MAX_LOOKED_AT:
        return
    seen.add(id(value))
    if isinstance(value, functools.partial):
        _collect(value.func, found, seen, depth + 1)
    elif isinstance(value, types.MethodType):
        holder = value.__self__ if _is_of_pyspark(value.__func__) else value.__func__
        _collect(holder, found, seen, depth + 1)
    elif isinstance(value, type):
        _collect_methods(value, _METHODS_OF_A_TABLE_FUNCTION, found, seen, depth)
    elif isinstance(value, types.FunctionType):
        wrapped = getattr(value, "__wrapped__", None)
        if wrapped is not None:
            _collect(wrapped, found, seen, depth + 1)
        elif _is_of_pyspark(value):
            # Closures are sorted by name; in pyspark's pipelines that is `func`, the later one, before `prev_func`.
            for cell in reversed(_cells(value)):
                _collect(_content(cell), found, seen, depth + 1)
        else:
            function = _described(value)
            if function[:3] not in (other[:3] for other in found):
                found.append(function)
    elif _is_of_pyspark(type(value)):
        for attribute in getattr(value, "__dict__", {}).values():
            _collect(attribute, found, seen, depth + 1)
    elif callable(value):
        _collect_methods(type(value), ("__call__",), found, seen, depth)
    elif any(map(_is_of_pyspark, type(value).__mro__)):
        _collect_methods(type(value), _METHODS_OF_AN_OBJECT, found, seen, depth)


def _collect_methods(
    owner: type, names: tuple[str, ...], found: list[UserFunction], seen: set[int], depth: int
) -> None:
    for name in names:
        method = getattr(owner, name, None)
        if isinstance(method, types.FunctionType) and not _is_of_pyspark(method):
            _collect(method, found, seen, depth + 1)


def _is_of_pyspark(value: Any) -> bool:
    module = getattr(value, "__module__", None)
    return isinstance(module, str) and (module == "pyspark" or module.startswith("pyspark."))


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the cell is not filled yet
        return None
