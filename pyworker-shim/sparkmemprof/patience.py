"""`spark.memprof.patience`: a factor on the profiler's own waits, for a busy machine."""

from __future__ import annotations

MOST_PATIENCE = 60  # Settings.java warns of more, and of what is no number


def patience_of(text: str) -> int:
    """The factor; 1 for what is no number."""
    try:
        return min(max(int(text), 1), MOST_PATIENCE)
    except ValueError:
        return 1
