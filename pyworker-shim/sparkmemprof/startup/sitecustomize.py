"""Python runs this before a program that is profiled from its first line. It changes nothing for the program.

This folder comes first on ``PYTHONPATH``: in the process that ``sparkmemprof run`` starts, and in new Python processes
that it or a task starts (children.py).
Path and environment are restored, then profiling starts, then the sitecustomize runs that would have run without us.
"""

import os
import sys


def _is_driver():
    """spark-submit gives Py4J's port only to the driver's Python; a daemon below it may inherit the port."""
    of_worker = any(name.startswith(("PYTHON_WORKER_FACTORY_", "PYTHON_UNIX_DOMAIN_")) for name in os.environ)
    return "PYSPARK_GATEWAY_PORT" in os.environ and not of_worker


def _put_back():
    """The settings that ``sparkmemprof run`` left, or None. Path and environment are then the user's own again."""
    import json

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    settings = json.loads(os.environ.pop("SPARKMEMPROF_PROGRAM", "null"))
    if settings is None or settings.pop("isDriver", False):
        # Spark has put its own entries around ours; the driver's JVM gives all of it to every Python that it starts.
        kept = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.abspath(entry) != here]
        os.environ.pop("PYTHONPATH", None)
        if kept:
            os.environ["PYTHONPATH"] = os.pathsep.join(kept)
        return settings if _is_driver() else None
    os.environ.pop("PYTHONPATH", None)
    if settings["pythonPath"] is not None:
        os.environ["PYTHONPATH"] = settings["pythonPath"]
    return settings


def _profile(settings):
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, os.path.dirname(package))
    try:
        if "task" in settings:
            from sparkmemprof.task_processes import start_child as start
        else:
            from sparkmemprof.program import start
        from sparkmemprof import call_sites, failures
    finally:
        del sys.path[0]
    is_program = "task" not in settings and not settings.get("isChild", False)
    if is_program or _is_driver():
        failures.install(_note_of_end(settings.get("reportPlaces")))
    if is_program:
        call_sites.install()
    start(settings)


def _note_of_end(report_places):
    """Under ``sparkmemprof run``: what a call to a JVM lacks that has died."""
    if report_places is None:
        return None
    from sparkmemprof.jvm_end import ProgramNotes

    return ProgramNotes(report_places).note


def _run_the_users():
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


try:
    _settings = _put_back()
    if _settings is not None:
        _profile(_settings)
except Exception as error:
    if sys.stderr is not None:  # else print() would write to standard output
        print(f"sparkmemprof: the program is not profiled: {error!r}", file=sys.stderr)
_run_the_users()
