"""sparkmemprof: where did the memory of my executors go, and why did they die?

What Python workers import (``daemon``, ``worker``, ``config``, ``udfs``, ``_hooks``) needs the standard library alone.
"""

__version__ = "0.1.0"

_NOTEBOOK = ("clear", "dump", "show")


def __getattr__(name):
    """``show()``, ``dump()`` and ``clear()`` (notebook.py), loaded when they are asked for."""
    if name not in _NOTEBOOK:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import notebook

    return getattr(notebook, name)
