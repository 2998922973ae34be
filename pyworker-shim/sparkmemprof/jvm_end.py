"""How the JVM ended that PySpark has started for this process; its parent alone can ask. Standard library only."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import Any

from sparkmemprof.failures import gateway_of_program

# Its connections are closed a moment before a process is gone.
_MOST_WAIT_SECONDS = 5
# A JVM that ends itself because of a full heap looks at it first. Meanwhile calls fail, and the kernel still takes
# connections for it.
_MOST_OF_LAST_WORDS_SECONDS = 30
_POLL_SECONDS = 0.05
_CONNECT_SECONDS = 1


class JvmNotes:
    """What a call that failed lacks if this process's JVM was killed: its death. Thread-safe."""

    def __init__(self) -> None:
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._telling = False
        self._notes: dict[int, str] = {}  # by pid of a JVM that has ended
        # JVMs that answer no more and yet live: pid, and whether it had begun to end itself when the wait for it began.
        self._awaited: set[tuple[int, bool]] = set()

    def note(self, lost: bool) -> str:
        """If the JVM was killed while an application ran: its post-mortem's headline and place, else "". `lost`: a
        connection broke. Waits for a JVM that is about to end: at most 5 s, once; at most 30 s, once, if it has begun
        to end itself because of a full heap; both times the application's `spark.memprof.patience`."""
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
                    ending = self.is_ending(process.pid)
                    status = self._wait(process, gateway, ending) if lost or ending else process.poll()
                    if status is None:
                        return ""
                    self._notes[process.pid] = ""  # whatever comes, once is enough
                    self._notes[process.pid] = self.tell(process.pid, status)
                return self._notes[process.pid]
            finally:
                self._telling = False

    def _wait(self, process: Any, gateway: Any, ending: bool) -> int | None:
        if process.poll() is None and ((process.pid, ending) in self._awaited or (not ending and answers(gateway))):
            return None
        known, begin = (process.pid, ending), time.monotonic()
        while process.poll() is None:
            ending = ending or self.is_ending(process.pid)
            most = _MOST_OF_LAST_WORDS_SECONDS if ending else _MOST_WAIT_SECONDS
            if time.monotonic() - begin >= most * self.patience(process.pid):
                self._awaited |= {known, (process.pid, ending)}
                break
            time.sleep(_POLL_SECONDS)
        return process.poll()

    def is_ending(self, pid: int) -> bool:
        """Whether that JVM has begun to end itself because of a full heap."""
        raise NotImplementedError

    def patience(self, pid: int) -> int:
        """By what a wait for that JVM is to be multiplied."""
        raise NotImplementedError

    def tell(self, pid: int, status: int) -> str:
        """The note on that JVM, which has ended. Called once. `status`: as subprocess has it."""
        raise NotImplementedError


class ProgramNotes(JvmNotes):
    """Of a program of `sparkmemprof run`, which alone knows the headline, and writes the post-mortem when the program
    has ended (cli/program_notes.py). `directory`: where the JVM says where its report is."""

    def __init__(self, directory: str) -> None:
        super().__init__()
        self._directory = directory

    def is_ending(self, pid: int) -> bool:
        from sparkmemprof.cli.report_places import last_report  # not in every program that is profiled

        return last_report(self._directory, pid) is not None

    def patience(self, pid: int) -> int:
        from sparkmemprof.cli.report_places import patience

        return patience(self._directory, [pid])

    def tell(self, pid: int, status: int) -> str:
        from sparkmemprof.cli.program_notes import ask

        if not _has_told(self._directory, pid):
            return ""
        _leave(self._directory, pid, status)
        return ask(self._directory, pid, _MOST_WAIT_SECONDS * self.patience(pid))


def answers(gateway: Any) -> bool:
    """Whether the JVM still takes connections: then something else broke the one that was lost, such as a Ctrl-C."""
    import socket  # not in every program that is profiled

    try:
        parameters = gateway.gateway_parameters
        socket.create_connection((parameters.address, parameters.port), _CONNECT_SECONDS).close()
    except OSError:
        return False
    return True


def leave_status(directory: str) -> None:
    """Says in `<pid>.jvm-status` how this process's JVM ended, as subprocess has it, for who isn't its parent
    (cli/report_places.py).

    Waits at most 5 s, times its `spark.memprof.patience`, for one that answers no more. Nothing is said of one that
    lives, whose application has ended, or that another process has started. Never raises."""
    with contextlib.suppress(Exception):
        gateway = gateway_of_program()
        process = getattr(gateway, "proc", None)
        if process is None or not _has_told(directory, process.pid):
            return
        if process.poll() is None and not answers(gateway):
            _wait(process, directory)
        if process.returncode is not None:
            _leave(directory, process.pid, process.returncode)


def _has_told(directory: str, pid: int) -> bool:
    """Of an application that has not ended."""
    return os.path.exists(os.path.join(directory, f"{pid}.report-place"))


def _leave(directory: str, pid: int, status: int) -> None:
    with open(os.path.join(directory, f"{pid}.jvm-status"), "w", encoding="ascii") as file:
        file.write(str(status))


def _wait(process: Any, directory: str) -> None:
    from sparkmemprof.cli.report_places import patience

    begin, most = time.monotonic(), _MOST_WAIT_SECONDS * patience(directory, [process.pid])
    while process.poll() is None and time.monotonic() - begin < most:
        time.sleep(_POLL_SECONDS)
