"""Tells Spark which line of the program an action comes from, where PySpark doesn't: ``count at /jobs/job.py:41`` and
not ``count at NativeMethodAccessorImpl.java:0``.

PySpark tells the lines of what it collects and of the actions of RDDs (``SCCallSiteSync``). Here it is done the same way
for the other actions of DataFrames, at the call to the JVM. Spark's own pages then show the line, too. A call site that
the program has set itself is left as it is. Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from typing import Any

from sparkmemprof.when_imported import when_imported

# Methods that may run jobs: of Dataset, its groups and statistics, DataFrameWriter, DataFrameWriterV2, DataFrameReader,
# and SparkSession.
_ACTIONS = frozenset(
    "append approxQuantile checkpoint corr count cov create createOrReplace crosstab csv freqItems getRowsToPython "
    "htmlString insertInto isEmpty jdbc json load localCheckpoint orc overwrite overwritePartitions parquet pivot replace "
    "save saveAsTable showString sql tailToPython text xml".split()
)
_PROPERTY = "callSite.short"  # CallSite.SHORT_FORM
_STATIC = "z:"  # Py4J's prefix of classes: Spark's functions are methods of one, among them "count"
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
        """A method of a Java object that may be an action of the program's."""

        def __call__(self, *arguments: Any) -> Any:
            context = _told(self.gateway_client)
            try:
                return super().__call__(*arguments)
            finally:
                if context is not None:
                    with contextlib.suppress(Exception):
                        context.setCallSite(None)

    def new(kind: Any, name: str, _container: Any, target_id: str, _client: Any) -> Any:
        is_action = kind is member and name in _ACTIONS and not target_id.startswith(_STATIC)
        return object.__new__(Action if is_action else kind)

    member.__new__ = new
    return True


def _told(client: Any) -> Any:
    """The JavaSparkContext that this thread has told its call site; None: it has not."""
    with contextlib.suppress(Exception):
        pyspark: Any = sys.modules["pyspark"]
        context = pyspark.SparkContext._active_spark_context
        # Only this kind of gateway has a thread of the JVM's for each of the program's.
        if type(context._gateway).__module__ != "py4j.clientserver" or context._gateway._gateway_client is not client:
            return None
        site = _call_site(tuple(_folder(sys.modules[name]) for name in ("pyspark", "py4j")))
        before = context._jsc.getLocalProperty(_PROPERTY)
        if site is None or (before is not None and before != getattr(_here, "site", None)):
            return None
        _here.site = site  # first: if Control-C keeps us from taking it back, the next action does
        context._jsc.setCallSite(site)
        return context._jsc
    return None


def _folder(module: Any) -> str:
    return os.path.dirname(module.__file__) + os.sep


def _call_site(folders: tuple[str, ...]) -> str | None:
    """The function of PySpark's that the innermost frame beyond PySpark has called, and that frame's place."""
    frame: Any = sys._getframe(1)
    function = ""
    while frame is not None and (frame.f_code.co_filename == __file__ or frame.f_code.co_filename.startswith(folders)):
        function = "" if frame.f_code.co_filename == __file__ else frame.f_code.co_name
        frame = frame.f_back
    return f"{function} at {frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None and function else None
