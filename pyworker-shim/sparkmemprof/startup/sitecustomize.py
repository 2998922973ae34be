"""What Python runs before the program that ``sparkmemprof run`` starts: nothing of the program is different for it.

This folder comes first on ``PYTHONPATH``, in that process and in those it starts anew (children.py). The path and the
environment are put back, then profiling starts, and then the sitecustomize that would have run without us.
"""

import os
import sys


def _put_back():
    """The settings that ``sparkmemprof run`` left, or None; path and environment are what the user made them."""
    import json

    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    settings = json.loads(os.environ.pop("SPARKMEMPROF_PROGRAM", "null"))
    if settings is None:
        return None
    os.environ.pop("PYTHONPATH", None)
    if settings["pythonPath"] is not None:
        os.environ["PYTHONPATH"] = settings["pythonPath"]
    return settings


def _profile(settings):
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, os.path.dirname(package))
    try:
        from sparkmemprof.program import start
    finally:
        del sys.path[0]
    start(settings)


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
    print(f"sparkmemprof: the program is not profiled: {error!r}", file=sys.stderr)
_run_the_users()
