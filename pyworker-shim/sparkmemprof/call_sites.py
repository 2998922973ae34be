"""Tells Spark which line of the program an action comes from, where PySpark doesn't: ``count at /jobs/job.py:41`` and
not ``count at NativeMethodAccessorImpl.java:0``.

PySpark tells the lines of what it collects and of the actions of RDDs (``SCCallSiteSync``). Here it is done the same
way for the other actions of DataFrames, at the call to the JVM. Spark's own pages then show the line, too. Words of
the program's own that stand for a call site are left as they are. Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
from typing import Any

from sparkmemprof.when_imported import when_imported

# Methods that may run jobs. Not MLlib's: Spark names their jobs by its own lines, which say more.
_METHODS = {
    "Dataset": "checkpoint count htmlString isEmpty javaToPython localCheckpoint showString transpose",
    "DataFrameStatFunctions": "approxQuantile corr cov crosstab freqItems",
    "RelationalGroupedDataset": "pivot",
    "DataFrameWriter": "csv insertInto jdbc json orc parquet save saveAsTable text xml",
    "DataFrameWriterV2": "append create createOrReplace overwrite overwritePartitions replace",
    "MergeIntoWriter": "merge",
    "DataFrameReader": "load",  # and those of DataFrameWriter that have the same names: to find the columns
    "SparkSession": "sql",
}
_ACTIONS = frozenset(name for names in _METHODS.values() for name in names.split())
_PROPERTY = "callSite.short"  # CallSite.SHORT_FORM
_PLACE = re.compile(r"\S+ at .+:\d+", re.DOTALL)  # as Spark and PySpark write it
_STATIC = "z:"  # Py4J's prefix of classes: Spark's functions are methods of one, among them "count"
_STANDARD = os.path.dirname(os.__file__) + os.sep  # PySpark, and a pool of threads, may call by way of it
_PACKAGES = (_STANDARD + "site-packages", _STANDARD + "dist-packages")
_here = threading.local()  # site: the last one that this thread has told


def install() -> None:
    """Tells lines from now on, or once the program has imported Py4J. Never raises."""
    when_imported(_follow_actions)


def _follow_actions() -> bool:
    member: Any = getattr(sys.modules.get("py4j.java_gateway"), "JavaMember", None)
    if member is None:
        return False
    if "__new__" in vars(member):
        return True

    class Action(member):  # type: ignore[misc]
        # A method of a Java object that may be an action of the program's. It has Py4J's text for help().
        __doc__ = vars(member)["__doc__"]

        def __call__(self, *arguments: Any) -> Any:
            is_of_schema = self.name == "json" and not arguments
            told = None if is_of_schema else _tell(self.gateway_client)
            try:
                answer = super().__call__(*arguments)
            except Exception:
                _take_back(told)
                raise
            # Control-C and exit() of a signal's handler come through at once: the JVM's thread may be busy still.
            _take_back(told)
            return answer

    def new(kind: Any, *words: Any, **named: Any) -> Any:
        is_action = kind is member and len(words) == 4 and words[0] in _ACTIONS and not words[2].startswith(_STATIC)
        return object.__new__(Action if is_action else kind)

    member.__new__ = new
    return True


class _Told:
    """What this thread has told a JavaSparkContext, and what stood there before."""

    def __init__(self, context: Any, client: Any, before: str | None) -> None:
        self.context = context
        self.client = client
        self.connection = client.get_thread_connection()  # to the one thread of the JVM's that knows it
        self.before = before


def _tell(client: Any) -> _Told | None:
    """Nothing where the call is none of the program's, or the program has words of its own."""
    context, site = _context_of(client), _call_site()
    if context is None or site is None:
        return None
    # An error of these calls is not hidden. It may be the program's own time-out, which comes while they wait.
    before = context.getLocalProperty(_PROPERTY)
    if not (before is None or _PLACE.fullmatch(before)):
        return None
    told = _Told(context, client, None if before == getattr(_here, "site", None) else before)
    _here.site = site  # first: what is never taken back, the next action finds
    context.setCallSite(site)
    return told


def _context_of(client: Any) -> Any:
    """The JavaSparkContext that this client of Py4J's leads to."""
    with contextlib.suppress(Exception):
        context = sys.modules["pyspark"].SparkContext._active_spark_context
        gateway = context._gateway
        # Only this kind of gateway has a thread of the JVM's for each of the program's.
        if type(gateway).__module__ == "py4j.clientserver" and gateway._gateway_client is client:
            return context._jsc
    return None


def _take_back(told: _Told | None) -> None:
    with contextlib.suppress(Exception):
        # With a lost connection the JVM's thread has ended. Another call would open a new one.
        if told is not None and told.client.get_thread_connection() is told.connection and told.connection.socket:
            told.context.setCallSite(told.before)


def _call_site() -> str | None:
    """The function of PySpark's that the innermost frame beyond PySpark has called, and that frame's place."""
    with contextlib.suppress(Exception):
        pysparks = tuple(os.path.dirname(vars(sys.modules[name])["__file__"]) + os.sep for name in ("pyspark", "py4j"))
        frame: Any = sys._getframe(1)
        function = ""
        while frame is not None:
            file = frame.f_code.co_filename
            if file.startswith(pysparks):
                function = frame.f_code.co_name
            elif file != __file__ and (not file.startswith(_STANDARD) or file.startswith(_PACKAGES)):
                site = f"{function} at {file}:{frame.f_lineno}"
                site.encode()  # raises for a name of a file that Py4J could not send
                return site if function else None
            frame = frame.f_back
    return None
