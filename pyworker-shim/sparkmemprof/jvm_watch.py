"""The driver's JVM, watched by the Python process that started it: a notebook, a shell, ``python job.py``.

A JVM that is killed can't report its own death. Where spark-submit starts the Python process, ``sparkmemprof submit``
does it for both of them.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from typing import Any

from .cli.driver_watch import DriverWatch, last_application
from .failures import gateway_of_program
from .jvm_end import MOST_WAIT_SECONDS, POLL_SECONDS, answers

# A JVM that ends itself because of a full heap looks at it first. Meanwhile calls fail, and the kernel still takes
# connections for it.
_MOST_OF_LAST_WORDS_SECONDS = 30


class JvmWatch:
    """Watches until this process ends. Thread-safe; only making it may raise."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._telling = False
        self._notes: dict[int, str] = {}  # by pid of a JVM that has ended
        # JVMs that answer no more and yet live: pid, and whether it had begun to end itself when the wait for it began.
        self._awaited: set[tuple[int, bool]] = set()
        self._watch = self._begin()
        atexit.register(self._end)

    def _begin(self) -> Any:
        who = "the driver's Python process"
        watch = DriverWatch("driver", 0, with_python=False, started_by=who, gone=_ended_jvm).__enter__()
        os.environ.update(watch.environment({}))
        return watch

    def note(self, lost: bool) -> str:
        """If this process's JVM was killed while an application ran: its post-mortem's headline and place, else "".
        `lost`: a connection broke. The first call writes and prints the post-mortem. Waits for a JVM that is about to
        end: at most 5 s, once; at most 30 s, once, if it has begun to end itself because of a full heap; both times
        the application's `spark.memprof.patience`."""
        gateway = gateway_of_program()
        process = getattr(gateway, "proc", None)  # None, too, if another process has started that JVM
        if process is None or os.getpid() != self._owner:
            return ""
        with self._lock:
            if self._telling:  # a finalizer or a signal's handler, in the midst of what is below
                return ""
            self._telling = True
            try:
                if process.pid not in self._notes:
                    ending = self._watch.is_ending(process.pid)
                    status = self._wait(process, gateway, ending) if lost or ending else process.poll()
                    if status is None:
                        return ""
                    self._notes[process.pid] = ""  # whatever comes, once is enough
                    self._notes[process.pid] = self._tell(process.pid, status)
                return self._notes[process.pid]
            finally:
                self._telling = False

    def _wait(self, process: Any, gateway: Any, ending: bool) -> int | None:
        if process.poll() is None and ((process.pid, ending) in self._awaited or (not ending and answers(gateway))):
            return None
        known, begin = (process.pid, ending), time.monotonic()
        while process.poll() is None:
            ending = ending or self._watch.is_ending(process.pid)
            most = _MOST_OF_LAST_WORDS_SECONDS if ending else MOST_WAIT_SECONDS
            if time.monotonic() - begin >= most * self._watch.patience(process.pid):
                self._awaited |= {known, (process.pid, ending)}
                break
            time.sleep(POLL_SECONDS)
        return process.poll()

    def _tell(self, pid: int, status: int) -> str:
        last = last_application(pid, self._watch.told())
        if last is None or last.has_ended:
            return ""
        watch, self._watch = self._watch, self._begin()  # the new one is for the next JVM
        written = watch.finish(pid, status, os.path.abspath("sparkmemprof-report"))
        watch.__exit__()
        if not watch.headlines:
            return ""
        return (
            f"sparkmemprof: {watch.headlines[0]}\nIts post-mortem: {os.path.dirname(written) if written else 'above'}"
        )

    def _end(self) -> None:
        if os.getpid() != self._owner:
            return
        try:
            self.note(False)
        except Exception:  # the program has ended well
            pass
        finally:
            self._watch.__exit__()


def _ended_jvm() -> int | None:
    """The pid of this process's JVM if it has ended: a notebook may ask for it an hour later."""
    try:
        process = getattr(gateway_of_program(), "proc", None)
        return None if process is None or process.poll() is None else process.pid
    except Exception:
        return None
