"""The driver's JVM, watched by the Python process that started it: a notebook, a shell, ``python job.py``.

A JVM that is killed can't report its own death. Where spark-submit starts the Python process, ``sparkmemprof submit``
does it for both of them.
"""

from __future__ import annotations

import atexit
import os
from typing import Any

from .cli.driver_watch import DriverWatch, jvm_of, last_application
from .cli.report_places import may_join
from .failures import gateway_of_program
from .jvm_end import JvmNotes
from .standard_error import say


class JvmWatch(JvmNotes):
    """Watches until this process ends. The first note writes and prints the post-mortem. Only making it may raise."""

    def __init__(self) -> None:
        super().__init__()
        self._watch = self._begin()
        self._had_another = False  # an application whose JVM has died
        atexit.register(self._end)

    def _begin(self) -> Any:
        who = "the driver's Python process"
        watch = DriverWatch("driver", 0, with_python=False, started_by=who, gone=_ended_jvm).__enter__()
        os.environ.update(watch.environment({}))
        return watch

    def is_ending(self, pid: int) -> bool:
        return self._watch.is_ending(pid)

    def patience(self, pid: int) -> int:
        return self._watch.patience(pid)

    def tell(self, pid: int, status: int) -> str:
        last = last_application(pid, self._watch.told())
        if last is None or last.has_ended:
            return ""
        watch, self._watch = self._watch, self._begin()  # the new one is for the next JVM
        self._had_another = True
        written = watch.finish(pid, status, os.path.abspath("sparkmemprof-report"))
        watch.__exit__()
        if not watch.headlines:
            return ""
        return (
            f"sparkmemprof: {watch.headlines[0]}\nIts post-mortem: {os.path.dirname(written) if written else 'above'}"
        )

    def join(self, boxes: str, name: str) -> None:
        """At this process's end: puts what it held, by its boxes, into the report of its Spark application, if it has
        stopped that. Nothing is put where it was the driver of several, or of one that must not show it, or where
        another process has started the JVM. Never raises."""
        if os.getpid() != self._owner or self._had_another:
            return
        try:
            process = getattr(gateway_of_program(), "proc", None)  # None: it has started no JVM, only its children have
            told = self._watch.told()
            if process is None or not may_join(told):
                return
            (application,) = told
            if application.has_ended and application.jvm == jvm_of(process.pid, told):
                self._watch.join(application, boxes, name)
        except KeyboardInterrupt:  # nobody waits any longer
            pass
        except Exception as error:
            say(f"what the driver's Python held is not in its report: {error}")

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
