"""Arrow's memory pool in this process. pyarrow is never imported here: who doesn't use it, doesn't get it."""

from __future__ import annotations

import os


def choose_arrow_pool(name: str) -> None:
    """Says to Arrow, before it is loaded, which pool to use: `system` is malloc. The user's own choice stands."""
    if name != "default":
        os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", name)
