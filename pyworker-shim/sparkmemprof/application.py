"""The Spark application that runs in this process, and its report as of now.

It is asked for in the driver's JVM, over PySpark's own connection: no Spark UI is needed, and no right to view one.
"""

from __future__ import annotations

from typing import Any

from .cli.errors import UserError

_WITH_PROFILER = "start it by `sparkmemprof submit`, or with the settings that `sparkmemprof conf` prints"


def running_context() -> Any:
    """This process's SparkContext. Raises UserError if it has none."""
    try:
        from pyspark import SparkContext

        context = SparkContext._active_spark_context
    except ImportError:
        context = None
    if context is None:
        raise UserError(
            "no Spark application runs in this process: give a report directory, sparkmemprof.show('reports')"
        )
    return context


def running_report() -> bytes:
    """report.json of this process's application, with all tasks that have ended. Raises UserError."""
    context = running_context()
    try:
        content = context._gateway.jvm.org.sparkmemprof.MemoryProfilerPlugin.report()
    except TypeError:  # what Py4J takes for a package can't be called: the JVM has no such class
        content = None
    except Exception as error:
        raise UserError(f"the running application has no report: {error}") from error
    if content is None:
        raise UserError(f"the running application is not profiled: {_WITH_PROFILER}")
    return bytes(content)


def report_since(content: bytes, since_ms: int) -> bytes:
    """A report of what began at this time of the epoch or later. Raises UserError."""
    from sparkmemprof import _store

    try:
        return _store.report_since(content, since_ms).encode()
    except ValueError as error:
        raise UserError(str(error)) from None
