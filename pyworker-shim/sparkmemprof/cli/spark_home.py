"""Where spark-submit is."""

import importlib.util
import os
import shutil

from .errors import UserError


def find_spark_submit(environment=os.environ):
    """(path of spark-submit, SPARK_HOME for it, True if it belongs to this Python's pyspark).

    In order: SPARK_HOME, the pyspark beside this sparkmemprof, PATH. Raises UserError when there is none.
    """
    home = environment.get("SPARK_HOME")
    if home:
        path = os.path.join(home, "bin", "spark-submit")
        if not os.access(path, os.X_OK):
            raise UserError(f"SPARK_HOME is {home}, but has no bin/spark-submit\n  unset SPARK_HOME or correct it")
        return path, home, False
    spec = importlib.util.find_spec("pyspark")
    if spec is not None and spec.submodule_search_locations:
        home = next(iter(spec.submodule_search_locations))
        path = os.path.join(home, "bin", "spark-submit")
        if os.access(path, os.X_OK):
            return path, home, True
    path = shutil.which("spark-submit", path=environment.get("PATH"))
    if path is None:
        raise UserError("no spark-submit: install pyspark beside sparkmemprof, set SPARK_HOME, or put it on PATH")
    return path, os.path.dirname(os.path.dirname(os.path.realpath(path))), False
