"""What every scene needs: the hooks started, a session open, the exact allocators, and a list of what must be found.

A scene is run by a CPython of any supported version, in a process of its own, and imports nothing but the standard
library. It allocates odd sizes, each on a line of its own, and prints what the box must hold as JSON in its last line.
"""

import ctypes
import json
import os
import resource
import sys

from sparkmemprof import _hooks as hooks

NATIVE = os.environ["SCENE_NATIVE"]
MIB = 1 << 20


def load(name):
    library = ctypes.CDLL(os.path.join(NATIVE, f"lib{name}.so"))  # gives the GIL up during calls
    for function in (
        "malloc",
        "calloc",
        "aligned_alloc",
        "memalign",
        "valloc",
        "pvalloc",
        "posix_memalign",
        "misaligned",
        "new",
    ):
        _declare(library, function, ctypes.c_void_p, ctypes.c_size_t)
    for function in ("realloc", "reallocarray"):
        _declare(library, function, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    for function in ("free", "delete", "free_in_thread"):
        _declare(library, function, None, ctypes.c_void_p)
    _declare(library, "malloc_in_thread", ctypes.c_void_p, ctypes.c_size_t)
    _declare(library, "touch", None, ctypes.c_void_p, ctypes.c_size_t)
    _declare(library, "mmap", ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int)
    _declare(library, "mmap_at", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
    _declare(library, "munmap", ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
    _declare(library, "madvise", ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    _declare(library, "mremap", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
    to = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p)
    _declare(library, "mremap_to", ctypes.c_void_p, *to)
    _declare(library, "mremap_here", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
    _declare(library, "mremap_pages", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    return library


def _declare(library, name, result, *arguments):
    function = getattr(library, f"exact_{name}")
    function.restype = result
    function.argtypes = arguments


def start():
    interval = int(os.environ["SCENE_INTERVAL"])
    hooks.start(os.environ["SCENE_BOXES"], os.environ["SCENE_APPLICATION"], "7", interval)


def open_session(task=1):
    hooks.open_session()
    hooks.set_task(task, 0, 0, 0, 0)


def mapped_bytes():
    """Of this process's address space: what RLIMIT_AS bounds."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def line():
    """The caller's line."""
    return sys._getframe(1).f_lineno


class Expectations:
    """What the box must hold: for each size nobody else allocates, the function and line it belongs to."""

    def __init__(self):
        self.found = []
        self._next = 1_999_993

    def size(self):
        self._next += 10_006  # no two within an allocator's rounding; all odd
        return self._next

    def note(self, size, line, **more):
        frame = sys._getframe(1)
        code = frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        self.found.append({"size": size, "function": name, "file": code.co_filename, "line": line, **more})

    def finish(self, **more):
        hooks.close_session()
        print(json.dumps({"expected": self.found, "counters": hooks.counters(), **more}), flush=True)
