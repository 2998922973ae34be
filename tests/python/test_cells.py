"""Which functions of a notebook are looked at for the file that they are written in; the rest is in test_kernel.py."""

import functools
import sys
import unittest.mock

from conftest import ROOT

sys.path.insert(0, str(ROOT / "pyworker-shim"))
from sparkmemprof import cells


class AsksNothing:
    def __getattribute__(self, name):
        raise AssertionError(f"{name} was asked for")


def defined(text, name, file):
    """What a script defines that the notebook has run."""
    names = {"__name__": "__main__", "functools": functools}
    exec(compile(text, file, "exec"), names)
    return names[name]


def files_of(value):
    return [cells._file_of(function) for function in cells._functions_of(value)]


def test_a_function_and_what_a_class_defines():
    assert files_of(defined("def f(): pass", "f", "/jobs/a.py")) == ["/jobs/a.py"]
    assert files_of(defined("class C:\n def f(self): pass\n size = 3", "C", "/jobs/b.py")) == ["/jobs/b.py"]


def test_a_decorators_wrapper_is_not_the_users_code():
    def udf(function):  # as PySpark's
        @functools.wraps(function)
        def wrapper(*arguments):
            return function(*arguments)

        return wrapper

    assert files_of(udf(udf(defined("def f(): pass", "f", "/jobs/a.py")))) == ["/jobs/a.py"]


def test_imported_functions_are_not_the_notebooks():
    assert files_of(functools.wraps) == []
    assert files_of(unittest.mock.Mock) == []


def test_other_values_are_left_alone():
    for value in (AsksNothing(), unittest.mock.call, len, None, functools.partial(print)):
        assert files_of(value) == []
