"""Arrow's memory pool in this process, by pyarrow's own counters, for every allocator behind it.

pyarrow is never imported here, so a program that doesn't use it doesn't load it. Standard library only.
"""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple


class ArrowPool(NamedTuple):
    """Bytes allocated from Arrow's default pool: now, and the maximum since it was made."""

    allocated_bytes: int
    most_bytes: int


NO_POOL = ArrowPool(0, 0)


def arrow_pool() -> ArrowPool | None:
    """None where pyarrow isn't loaded, or not completely yet."""
    default_pool = getattr(sys.modules.get("pyarrow"), "default_memory_pool", None)
    if default_pool is None:
        return None
    pool = default_pool()
    return ArrowPool(pool.bytes_allocated(), pool.max_memory() or 0)


def counters_of_task(before: ArrowPool | None, after: ArrowPool | None) -> dict[str, int]:
    """A session's counters: what the pool held when it opened and when it closes, and the peak where that is known.

    The pool's maximum belongs to the process and never falls. If the session has raised it, it is the session's own
    peak. Otherwise it is an earlier task's, and this session's peak is not known.
    """
    if after is None:
        return {}
    begin = before or NO_POOL
    counters = {"arrowPoolBeginBytes": begin.allocated_bytes, "arrowPoolEndBytes": after.allocated_bytes}
    if after.most_bytes > begin.most_bytes:
        counters["arrowPoolPeakBytes"] = after.most_bytes
    return counters


def count_arrow_pool(hooks: Any, before: ArrowPool | None) -> None:
    """Sets these counters in the open session; `before`: the pool when it opened."""
    for name, value in counters_of_task(before, arrow_pool()).items():
        hooks.set_counter(name, value)


def choose_arrow_pool(name: str) -> None:
    """Tells Arrow, before it is loaded, which pool to use: `system` is malloc. The user's own choice wins."""
    if name != "default":
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", name)
