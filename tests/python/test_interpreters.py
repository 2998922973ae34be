"""Interpreters that the hooks weren't built for: one warning that names the reason, and a program that runs on."""

import os
import pathlib
import shutil
import sys

import processes
import pytest

SCRIPT = """
import sys, types
{change}
from sparkmemprof.worker import profile_workers_of
profile_workers_of(types.ModuleType("daemon"))
print("unharmed", "sparkmemprof._hooks" in sys.modules)
"""


def other_pythons():
    """CPythons of this machine that are too old, too new, or free-threaded: (name, path or None)."""
    found = []
    names = ("python3.7", "python3.8", "python3.15", "python3.13t", "python3.14t")
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    for name in names:
        on_path = shutil.which(name)
        paths = [
            *sorted(pyenv.glob(f"versions/*/bin/{name}")),
            *([on_path] if on_path and "shims" not in on_path else []),
        ]
        found.append((name, next(iter(paths), None)))
    return found


def warnings_of(python, package, change=""):
    script = SCRIPT.format(change=change)
    finished = processes.run([python, "-c", script], 60, env={**os.environ, "PYTHONPATH": str(package)})
    assert finished.stdout == "unharmed False\n", finished.stderr
    return finished.stderr.splitlines()


@pytest.mark.parametrize(("name", "python"), other_pythons())
def test_a_cpython_without_a_shim_is_refused(name, python, package):
    if python is None:
        pytest.skip(f"no {name} here")
    said = warnings_of(python, package)
    version = name.removeprefix("python").rstrip("t")
    assert len(said) == 1, said
    assert f"cpython {version}" in said[0]
    assert "(supported on Linux with glibc: CPython 3." in said[0]
    assert ("free-threaded" in said[0]) == name.endswith("t")


# Neither kind can be had from a package registry for Debian 12, so an interpreter is told that it is one.
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("sys.abiflags = 't'", "free-threaded cpython 3.11 is not supported"),
        (
            "import os; del os.confstr_names['CS_GNU_LIBC_VERSION']",
            "a C library other than glibc, such as musl, is not",
        ),
        (
            "import importlib.machinery as m; m.EXTENSION_SUFFIXES[:] = ['.pypy.so']; sys.implementation.name = 'pypy'",
            "pypy 3.11 on linux is not supported",
        ),
    ],
)
def test_an_interpreter_of_another_kind_is_refused(change, reason, package, boxes):
    said = warnings_of(sys.executable, package, change)
    assert len(said) == 1, said
    assert said[0].startswith("sparkmemprof: Python workers are not profiled: ")
    assert reason in said[0]
    (left,) = boxes.directory.glob("*refusal*")
    assert (left.name, left.stat().st_mode & 0o777) == ("workers-7.refusal", 0o600)
    assert left.read_text() == said[0].removeprefix("sparkmemprof: Python workers are not profiled: ")
    left.write_text("nobody has taken it yet")
    warnings_of(sys.executable, package, change)
    assert left.read_text() == "nobody has taken it yet"
