"""The one warning of a process and its forks."""

from __future__ import annotations

import mmap

from sparkmemprof.standard_error import say


class OneWarning:
    """Prints only the first text that it gets, in all of a process and its forks."""

    def __init__(self) -> None:
        self._said = mmap.mmap(-1, 1)  # shared with forked children

    def __call__(self, text: object, what: str) -> None:
        if self._said[0] == 0:
            self._said[0] = 1
            say(f"{what}: {text}")
