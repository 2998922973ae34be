"""Why this executor's Python workers are not profiled, left for its agent, which puts it into the report."""

from __future__ import annotations

import contextlib
import os

from sparkmemprof.config import Config

_MOST_BYTES = 1000


def leave(config: Config, why: str) -> None:
    """Beside the black boxes, whole or not at all; the first reason stays until the agent has taken it. Never
    raises."""
    with contextlib.suppress(Exception):
        path = os.path.join(config.box_directory, f"workers-{config.executor_id}.refusal")
        draft = f"{path}.{os.getpid()}.draft"
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(file, "wb") as opened:
                opened.write(why.encode("utf-8", "replace")[:_MOST_BYTES])
            os.link(draft, path)
        finally:
            os.unlink(draft)
