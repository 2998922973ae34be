"""Arrow's memory pool in this process, by pyarrow's own counters, whichever allocator is behind it.

pyarrow is never imported here: who doesn't use it, doesn't get it. Standard library alone.
"""

from __future__ import annotations

import os
import sys
from typing import NamedTuple


class ArrowPool(NamedTuple):
    """Bytes that Arrow's default pool has handed out: now, and at the most since it was made."""

    allocated_bytes: int
    most_bytes: int


NO_POOL = ArrowPool(0, 0)


def arrow_pool() -> ArrowPool | None:
    """None where pyarrow isn't loaded, or not wholly yet."""
    default_pool = getattr(sys.modules.get("pyarrow"), "default_memory_pool", None)
    if default_pool is None:
        return None
    pool = default_pool()
    return ArrowPool(pool.bytes_allocated(), pool.max_memory() or 0)


def counters_of_task(before: ArrowPool | None, after: ArrowPool | None) -> dict[str, int]:
    """A session's counters: what the pool held when it opened and when it closes, and the peak where that is known.

    The pool's maximum is the process's, and nothing can lower it. Where the session has raised it, it is the session's
    own peak; otherwise an earlier task's, and of this one's nothing is said.
    """
    if after is None:
        return {}
    begin = before or NO_POOL
    counters = {"arrowPoolBeginBytes": begin.allocated_bytes, "arrowPoolEndBytes": after.allocated_bytes}
    if after.most_bytes > begin.most_bytes:
        counters["arrowPoolPeakBytes"] = after.most_bytes
    return counters


def choose_arrow_pool(name: str) -> None:
    """Says to Arrow, before it is loaded, which pool to use: `system` is malloc. The user's own choice stands."""
    if name != "default":
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", name)
