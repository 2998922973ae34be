"""The jar and the native library that come with the package."""

import os
import pathlib
import re

from .errors import UserError

# A value with any of these would not survive `spark-submit $(sparkmemprof conf)`, spark-defaults.conf, a list of jars
# or a JVM's option string.
_UNSAFE = re.compile(r"[\s\"'`$\\,;=*?\[\]]")


def _folder():
    override = os.environ.get("SPARKMEMPROF_BUNDLE")
    return pathlib.Path(override) if override else pathlib.Path(__file__).resolve().parent.parent / "_bundle"


def safe_path(path, what):
    """The absolute path as a string; UserError if it cannot stand in a --conf."""
    absolute = os.path.abspath(path)
    found = _UNSAFE.search(absolute)
    if found:
        raise UserError(
            f"the path of {what} has a {found.group()!r}, which Spark's settings cannot carry: {absolute}\n"
            "  install sparkmemprof into a folder without blanks, quotes, commas and wildcards, "
            "or set SPARKMEMPROF_BUNDLE to a copy of its _bundle folder"
        )
    return absolute


def _member(name, what):
    path = _folder() / name
    if not path.is_file():
        raise UserError(
            f"{what} is missing: {path}\n  reinstall sparkmemprof, or set SPARKMEMPROF_BUNDLE to the folder that has it"
        )
    if not os.access(path, os.R_OK):
        raise UserError(f"{what} cannot be read: {path}\n  check the permissions of the file and its folders")
    return safe_path(path, what)


def jar():
    """Absolute path of sparkmemprof.jar."""
    return _member("sparkmemprof.jar", "sparkmemprof.jar")


def library():
    """Absolute path of libsparkmemprof.so."""
    return _member("libsparkmemprof.so", "libsparkmemprof.so")
