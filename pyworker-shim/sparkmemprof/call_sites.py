"""Tells Spark which line of the program an action comes from, where PySpark doesn't: ``count at /jobs/job.py:41`` and
not ``count at NativeMethodAccessorImpl.java:0``; and tells our plugin which lines built what it acts on.

PySpark tells the lines of what it collects and of the actions of RDDs (``SCCallSiteSync``). Here it is done the same
way for the other actions of DataFrames, at the call to the JVM. Spark's own pages then show the line, too. Words of
the program's own that stand for a call site are left as they are. The lines of the plan (plan_lines) are a property of
our own. Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import threading
from typing import Any

from sparkmemprof import plan_lines
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
# Those whose lines PySpark tells.
_COLLECTING = frozenset(["collectAsArrowToPython", "collectToPython", "tailToPython", "toPythonIterator"])
_FOLLOWED = _ACTIONS | _COLLECTING | plan_lines.STEPS | plan_lines.CARRIERS
_PROPERTY = "callSite.short"  # CallSite.SHORT_FORM
_BUILT_AT = "spark.memprof.builtAt"
_PLACE = re.compile(r"\S+ at .+:\d+", re.DOTALL)  # as Spark and PySpark write it
_STATIC = "z:"  # Py4J's prefix of classes: Spark's functions are methods of one, among them "count"
_STANDARD = os.path.dirname(os.__file__) + os.sep  # PySpark, and a pool of threads, may call by way of it
_PACKAGES = (_STANDARD + "site-packages", _STANDARD + "dist-packages")
# site: the last one that this thread has told. built: whether lines of a plan are told that may never be taken back.
_here = threading.local()


def install() -> None:
    """Tells lines from now on, or once the program has imported Py4J. Never raises."""
    when_imported(_follow_calls)


def _follow_calls() -> bool:
    member: Any = getattr(sys.modules.get("py4j.java_gateway"), "JavaMember", None)
    if member is None:
        return False
    if "__new__" in vars(member):
        return True

    class Step(member):  # type: ignore[misc]
        # A method of a Java object that may make a DataFrame. It has Py4J's text for help().
        __doc__ = vars(member)["__doc__"]

        def __call__(self, *arguments: Any) -> Any:
            built_at = plan_lines.of((self.container, *arguments))
            site = _call_site()
            answer = self._answer(site, built_at, arguments)
            plan_lines.keep(answer, plan_lines.place_of(self.name, site, built_at), built_at)
            return answer

        def _answer(self, site: str | None, built_at: plan_lines.Places, arguments: Any) -> Any:
            return super().__call__(*arguments)

    class Action(Step):
        # One that may be an action of the program's.
        __doc__ = vars(member)["__doc__"]

        def _answer(self, site: str | None, built_at: plan_lines.Places, arguments: Any) -> Any:
            is_of_schema = self.name == "json" and not arguments
            told = None if is_of_schema else _tell(self.gateway_client, site, self.name in _ACTIONS, built_at)
            try:
                answer = member.__call__(self, *arguments)
            except Exception:
                _take_back(told)
                raise
            # Control-C and exit() of a signal's handler come through at once: the JVM's thread may be busy still.
            _take_back(told)
            return answer

    def new(kind: Any, *words: Any, **named: Any) -> Any:
        if kind is not member or len(words) != 4:
            return object.__new__(kind)
        name, is_static = words[0], words[2].startswith(_STATIC)
        if name not in (plan_lines.STATIC_STEPS if is_static else _FOLLOWED):
            return object.__new__(kind)
        return object.__new__(Action if name in _ACTIONS or name in _COLLECTING else Step)

    member.__new__ = new
    return True


class _Told:
    """What this thread has told a JavaSparkContext, and what stood there before."""

    def __init__(self, context: Any, client: Any) -> None:
        """After a call by this client: a new thread has no connection before."""
        self.context = context
        self.client = client
        self.connection = client.get_thread_connection()  # to the one thread of the JVM's that knows it
        self.has_site = False
        self.before: str | None = None


def _tell(client: Any, site: str | None, with_site: bool, built_at: plan_lines.Places) -> _Told | None:
    """Nothing where the call is none of the program's; no call site where the program has words of its own."""
    context, left = _context_of(client), getattr(_here, "built", False)
    if context is None or site is None or not (with_site or built_at or left):
        return None
    # An error of these calls is not hidden. It may be the program's own time-out, which comes while they wait. What is
    # never taken back, the next action finds: so it is noted first.
    before = context.getLocalProperty(_PROPERTY)
    told = _Told(context, client)
    is_place = before is not None and _PLACE.fullmatch(before)
    # Where PySpark tells the site, it may be of another frame than ours.
    lines = plan_lines.text_of(built_at, site if with_site else before if is_place else None)
    if lines or left:
        _here.built = True
        context.setLocalProperty(_BUILT_AT, lines or None)
    if with_site and (before is None or is_place):
        told.before = None if before == getattr(_here, "site", None) else before
        told.has_site = True
        _here.site = site
        context.setCallSite(site)
    return told


def _context_of(client: Any) -> Any:
    """The JavaSparkContext that this client of Py4J's leads to."""
    with contextlib.suppress(AttributeError, KeyError):
        context = sys.modules["pyspark"].SparkContext._active_spark_context
        gateway = context._gateway
        # Only this kind of gateway has a thread of the JVM's for each of the program's.
        if type(gateway).__module__ == "py4j.clientserver" and gateway._gateway_client is client:
            return context._jsc
    return None


def _take_back(told: _Told | None) -> None:
    if told is None:
        return
    with contextlib.suppress(sys.modules["py4j.protocol"].Py4JError):
        # With a lost connection the JVM's thread has ended. Another call would open a new one.
        if told.client.get_thread_connection() is not told.connection or not told.connection.socket:
            return
        if told.has_site:
            told.context.setCallSite(told.before)
        if getattr(_here, "built", False):
            told.context.setLocalProperty(_BUILT_AT, None)
            _here.built = False


def _call_site() -> str | None:
    """The function of PySpark's that the innermost frame beyond PySpark has called, and that frame's place."""
    with contextlib.suppress(AttributeError, KeyError, TypeError, UnicodeError):
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
