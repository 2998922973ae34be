"""What was typed, in a notebook or at Python's prompt, is in no file that executors could read."""

from __future__ import annotations

from . import cells, prompt


def follow() -> None:
    """Tells the driver's JVM of it from now on, and of what came before; waits briefly until it knows.

    Does nothing in a program that runs from a file. Never raises.
    """
    try:
        if not cells.follow():
            prompt.follow()
    except Exception:  # lines keep the names that Python gave them
        return
