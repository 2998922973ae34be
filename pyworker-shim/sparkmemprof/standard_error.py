"""What is said to the user of a program that isn't ours."""

from __future__ import annotations

import contextlib
import sys


def say(text: str) -> None:
    """Prints it to standard error. Never raises: the program may have closed that."""
    with contextlib.suppress(Exception):
        print(f"sparkmemprof: {text}", file=sys.stderr, flush=True)
