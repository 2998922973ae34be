"""Puts the profiler into each SparkContext that this process makes: its settings join the user's own, wherever these
stand: the context's SparkConf, PYSPARK_SUBMIT_ARGS, or a properties file.

Only a JVM that PySpark itself starts can get the jar. In any other the context is made as it would be without us.
"""

from __future__ import annotations

import functools
import inspect
import os
import shlex
from typing import Any

from .cli import confs
from .cli.spark_arguments import SparkArguments, default_properties
from .cli.spark_home import find_spark_submit

# What PYSPARK_SUBMIT_ARGS can set in other words; an option there wins over a SparkConf.
_OPTIONS = {"spark.jars": "--jars", "spark.driver.extraJavaOptions": "--driver-java-options"}


class ProfiledContexts:
    """From its making until remove(). Raises UserError or ImportError if this machine can't profile Spark."""

    def __init__(self) -> None:
        from pyspark import SparkContext

        confs.settings("local")  # raises now if the library can't be loaded
        self.had_one = SparkContext._active_spark_context is not None
        self._context = SparkContext
        self._plain = SparkContext.__init__
        self._signature = inspect.signature(self._plain)
        self._started_jvm = False

        @functools.wraps(self._plain)
        def profiled(*args: Any, **kwargs: Any) -> None:
            self._make(*args, **kwargs)

        self._profiled = profiled
        SparkContext.__init__ = profiled

    def remove(self) -> None:
        if self._context.__init__ is self._profiled:
            self._context.__init__ = self._plain

    def _make(self, *args: Any, **kwargs: Any) -> None:
        bound = self._signature.bind(*args, **kwargs)
        if self._starts_jvm(bound.arguments):
            bound.arguments["conf"] = self._with_profiler(bound.arguments)
        self._plain(*bound.args, **bound.kwargs)

    def _starts_jvm(self, arguments: dict[str, Any]) -> bool:
        """Or has started this one."""
        if self._context._gateway is None:
            self._started_jvm = arguments.get("gateway") is None and "PYSPARK_GATEWAY_PORT" not in os.environ
        return self._started_jvm

    def _with_profiler(self, arguments: dict[str, Any]) -> Any:
        """A copy of the context's SparkConf."""
        from pyspark import SparkConf

        conf = SparkConf()
        if arguments.get("conf") is not None:
            conf.setAll(arguments["conf"].getAll())
        submit = SparkArguments(shlex.split(os.environ.get("PYSPARK_SUBMIT_ARGS", "")))
        defaults = default_properties(submit, find_spark_submit()[1])

        def users(key: str) -> str | None:
            for value in (conf.get(key), submit.conf(key), defaults.get(key)):
                if value is not None:
                    return value
            return None

        master = arguments.get("master") or users("spark.master") or submit.option("--master") or "local"
        pairs = confs.settings(master)
        if any(submit.conf(key) or submit.option(_OPTIONS.get(key, "")) for key, _ in pairs):
            self._started_jvm = False  # it would win over the SparkConf, and the jar would be missing
            return arguments.get("conf")
        for key, ours in pairs:
            conf.set(key, confs.merged(key, users(key), ours))
        return conf
