"""What the program of `sparkmemprof run` asks while it runs, and what is answered: the note on its JVM, which has died.

The program writes the JVM's pid into a pipe of theirs, so that nobody polls, and waits for a file, `<pid>.note`.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable

_ASKS = "asks"
_POLL_SECONDS = 0.02


class NotesForProgram:
    """Answers, on a thread of its own, until this process ends. `note_of`: of the JVM with that pid; "": none. May
    raise. Raises OSError where there is no room for the pipe, RuntimeError where there is none for the thread."""

    def __init__(self, folder: str, note_of: Callable[[int], str]):
        self._folder = folder
        self._note_of = note_of
        os.mkfifo(os.path.join(folder, _ASKS), 0o600)
        threading.Thread(target=self._answer, name="sparkmemprof-notes", daemon=True).start()

    def _answer(self) -> None:
        with contextlib.suppress(OSError):  # the folder is removed at the end
            while True:
                with open(os.path.join(self._folder, _ASKS), encoding="ascii") as asks:
                    for line in asks:
                        self._write(int(line))

    def _write(self, pid: int) -> None:
        note = ""
        with contextlib.suppress(Exception):  # the program's exception keeps its own text
            note = self._note_of(pid)
        path = os.path.join(self._folder, f"{pid}.note")
        with open(path + ".unfinished", "w", encoding="utf-8", errors="replace") as file:
            file.write(note)
        os.replace(path + ".unfinished", path)


def ask(folder: str, pid: int, most_seconds: float) -> str:
    """In the program: the note, or "" if none comes in time. Raises OSError when nobody answers."""
    pipe = os.open(os.path.join(folder, _ASKS), os.O_WRONLY | os.O_NONBLOCK)
    try:
        os.write(pipe, f"{pid}\n".encode("ascii"))
    finally:
        os.close(pipe)
    path, begin = os.path.join(folder, f"{pid}.note"), time.monotonic()
    while time.monotonic() - begin < most_seconds:
        with contextlib.suppress(FileNotFoundError), open(path, encoding="utf-8") as file:
            return file.read()
        time.sleep(_POLL_SECONDS)
    return ""
