"""What is said to the user of a program that isn't ours."""

from __future__ import annotations

import contextlib
import sys


def say(text: str) -> None:
    """Prints it to standard error, if there is one. Never raises: the program may have closed that."""
    with contextlib.suppress(Exception):
        if sys.stderr is None:
            return  # print() would write to standard output
        print(f"sparkmemprof: {text}", file=sys.stderr, flush=True)
