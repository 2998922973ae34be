"""Adds to the exception of a failed job which death caused it, and where the post-mortem is; so, too, to the exception
of a call that the driver's JVM did not live to answer.

Type, error class and text of PySpark's exceptions stay. One note is added (``__notes__``); below Python 3.11 it is at
the end of the text. Only the driver's JVM knows whether there is a note to add to one of its own exceptions. It is
asked when that arrives, in the same thread. Uses only the standard library and the program's own Py4J.
"""

from __future__ import annotations

import functools
import sys
import threading
from typing import Any, Callable

from sparkmemprof.when_imported import when_imported

_here = threading.local()  # busy: this thread is inside the code below
_note_of_end: Callable[[bool], str] | None = None


def install(note_of_end: Callable[[bool], str] | None = None) -> None:
    """Adds notes from now on, or once the program has imported Py4J. Never raises.

    `note_of_end`: for a call that failed without an exception of the JVM's: the note to add if the JVM has ended, or
    "". Its argument says whether the connection is known to be lost. It may be called by a finalizer, in any thread.
    None: the one that is there, if any, stays.
    """
    global _note_of_end
    _note_of_end = note_of_end or _note_of_end
    when_imported(lambda: _note_errors_of_py4j() and _note_refused_connections())


def _note_errors_of_py4j() -> bool:
    protocol: Any = sys.modules.get("py4j.protocol")
    kind: Any = getattr(protocol, "Py4JJavaError", None)  # the last of its classes
    if kind is None:
        return False
    plain = kind.__init__
    if hasattr(plain, "__wrapped__"):
        return True
    _note_lost_calls(protocol)

    @functools.wraps(plain)
    def with_note(self: Any, msg: Any, java_exception: Any) -> None:
        plain(self, msg, java_exception)
        _note_conversions()
        _annotate(self, lambda: _note_of(java_exception))

    kind.__init__ = with_note
    return True


def _note_lost_calls(protocol: Any) -> None:
    """A JVM's own exceptions don't come this way: their class doesn't call its base."""
    plain = protocol.Py4JError.__init__

    @functools.wraps(plain)
    def with_note(self: Any, *arguments: Any, **named: Any) -> None:
        plain(self, *arguments, **named)
        _annotate_end(self, isinstance(self, protocol.Py4JNetworkError))

    protocol.Py4JError.__init__ = with_note


def _note_refused_connections() -> bool:
    """Py4J passes an OSError on where it connects anew."""
    client: Any = getattr(sys.modules.get("py4j.clientserver"), "JavaClient", None)
    if client is None:
        return False
    plain = client._create_new_connection
    if hasattr(plain, "__wrapped__"):
        return True

    @functools.wraps(plain)
    def with_note(self: Any) -> Any:
        try:
            return plain(self)
        except OSError as error:
            if self is getattr(gateway_of_program(), "_gateway_client", None):
                _annotate_end(error, True)
            raise

    client._create_new_connection = with_note
    return True


def _annotate_end(error: Any, lost: bool) -> None:
    note_of_end = _note_of_end
    if note_of_end is not None:
        _annotate(error, lambda: note_of_end(lost))


def _note_conversions() -> None:
    """PySpark may make an exception of its own from the JVM's, by a function that exists when the first one arrives."""
    captured: Any = sys.modules.get("pyspark.errors.exceptions.captured")
    plain = getattr(captured, "convert_exception", None)
    if plain is None or hasattr(plain, "__wrapped__"):
        return

    @functools.wraps(plain)
    def convert_exception(java_exception: Any) -> Any:
        if getattr(_here, "busy", False):  # this exception is the cause of another
            return plain(java_exception)
        _here.busy = True
        try:
            error = plain(java_exception)
        finally:
            _here.busy = False
        _annotate(error, lambda: _note_of(java_exception))
        return error

    captured.convert_exception = convert_exception


def _annotate(error: Any, note_of: Callable[[], str]) -> None:
    if getattr(_here, "busy", False):  # an error in the JVM's answer to our own question
        return
    _here.busy = True
    try:
        note = note_of()
        if note:
            _add(error, note)
    except Exception:  # the exception keeps its own text
        return
    finally:
        _here.busy = False


def _note_of(java_exception: Any) -> str:
    gateway = gateway_of_program()
    if gateway is None or java_exception._gateway_client is not gateway._gateway_client:
        return ""  # an exception of another JVM, or from before the first SparkContext
    return gateway.jvm.org.sparkmemprof.MemoryProfilerPlugin.failureNote(java_exception)


def gateway_of_program() -> Any:
    """Py4J's gateway to the JVM of this program's SparkContext; None: it has none."""
    context: Any = getattr(sys.modules.get("pyspark"), "SparkContext", None)
    return getattr(context, "_gateway", None)


def _add(error: Any, note: str) -> None:
    if hasattr(error, "add_note"):
        error.add_note(note)
        return
    error.__notes__ = [note]
    if isinstance(error, OSError):  # a type of Python's own can't be changed
        error.strerror = f"{error.strerror}\n{note}"
        return
    kind = type(error)
    plain = kind.__str__
    if not hasattr(plain, "__wrapped__"):

        @functools.wraps(plain)
        def with_notes(self: Any) -> str:
            return "\n".join([plain(self), *getattr(self, "__notes__", ())])

        kind.__str__ = with_notes
