"""A thread that tells the driver's JVM what only the driver's Python knows of the user's code.

Nobody waits long for a JVM that doesn't answer. Standard library only.
"""

from __future__ import annotations

import queue
import sys
import threading
from typing import Any, Callable

from .patience import patience_of

_MOST_WAIT_S = 1.0  # times the application's spark.memprof.patience


def active_context() -> Any:
    """The SparkContext of this process once its JVM has one, too, and with it our plugin; or None. Imports nothing."""
    context = getattr(getattr(sys.modules.get("pyspark"), "SparkContext", None), "_active_spark_context", None)
    return context if getattr(context, "_jsc", None) is not None else None


class Teller:
    """Thread-safe."""

    def __init__(self) -> None:
        self._patience = 1  # of the context that was told last; set by the thread
        self._untold: queue.Queue[tuple[Any, Callable[[Any], object]]] = queue.Queue()
        threading.Thread(target=self._tell, name="sparkmemprof-telling", daemon=True).start()

    def tell(self, context: Any, call: Callable[[Any], object]) -> None:
        """Calls `call(plugin)` soon, on the thread; `plugin` is MemoryProfilerPlugin in the JVM of `context`."""
        self._untold.put((context, call))

    def wait(self) -> None:
        """Until all have been told, but not for long."""
        told = threading.Event()
        self._untold.put((None, lambda _: told.set()))
        rounds = 0
        while not told.wait(_MOST_WAIT_S) and (rounds := rounds + 1) < self._patience:
            pass

    def untold(self) -> int:
        """About how many wait."""
        return self._untold.qsize()

    def _tell(self) -> None:
        given_up: Any = None
        known: Any = None
        while True:
            context, call = self._untold.get()
            if context is None:
                call(None)
            elif context is not given_up:
                try:
                    if context is not known:
                        known, self._patience = context, _patience_of(context)
                    call(context._gateway.jvm.org.sparkmemprof.MemoryProfilerPlugin)
                except Exception:  # an application without a profiler, or whose JVM has gone
                    given_up = context


def _patience_of(context: Any) -> int:
    """What the JVM says that the setting is; where it can't be read, the JVM's half warns."""
    try:
        return patience_of(context._conf.get("spark.memprof.patience", "1"))
    except Exception:
        return 1
