"""Loads the native module ``_hooks``, in interpreters that can. Checked before loading, because a wrong one may
crash."""

from __future__ import annotations

import importlib.machinery
import os
import re
import sys
from types import ModuleType


def why_not_supported(folder: str | None = None) -> str | None:
    """Why the modules in `folder`, by default this package's, don't fit this interpreter; None if one does."""
    folder = folder or os.path.dirname(os.path.abspath(__file__))
    found = os.listdir(folder)
    tags = (re.match(r"_hooks\.cpython-3(\d+)-", name) for name in found)
    minors = sorted(int(tag.group(1)) for tag in tags if tag)
    supported = ", ".join(f"3.{minor}" for minor in minors) or "none: the package has no native module"
    refused = f"is not supported (supported on Linux with glibc: CPython {supported})"
    running = f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}"
    if "t" in sys.abiflags:
        return f"free-threaded {running} {refused}"
    if "CS_GNU_LIBC_VERSION" not in os.confstr_names:  # glibc identifies itself in this way to programs built for it
        return f"{running} built for a C library other than glibc, such as musl, {refused}"
    if not any("_hooks" + suffix in found for suffix in importlib.machinery.EXTENSION_SUFFIXES):
        return f"{running} on {sys.platform} {refused}"
    return None


def load_hooks() -> ModuleType:
    """The native module for this interpreter. Raises ImportError with a text for the user."""
    refusal = why_not_supported()
    if refusal is not None:
        raise ImportError(refusal)
    try:
        from sparkmemprof import _hooks
    except ImportError as error:
        raise ImportError(f"the native module cannot be loaded: {error}") from error
    return _hooks
