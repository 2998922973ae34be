"""Libraries loaded while the hooks are in place: nothing is sampled between loading one and its first block."""

import _ctypes
import ctypes
import os

import stage

expect = stage.Expectations()


def load(name):
    library = ctypes.CDLL(os.path.join(stage.NATIVE, name))
    return library


def take(library, function, module):
    allocate = getattr(library, function)
    allocate.restype, allocate.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    size = expect.size()
    block, line = allocate(size), stage.line()
    expect.note(size, line, live=size, module=module)
    return block


def loaded_late():
    take(load("libexact_alloc_late.so"), "exact_malloc", "libexact_alloc_late.so")


def found_by_its_runpath():
    outer = load("liblate_outer.so")
    take(outer, "late_malloc_below", "liblate_inner.so")
    take(outer, "late_malloc_outer", "liblate_outer.so")
    return outer


def closed_and_loaded_again():
    library = load("libexact_alloc.so")
    take(library, "exact_malloc", "libexact_alloc.so")
    _ctypes.dlclose(library._handle)
    with open("/proc/self/maps") as maps:
        assert "libexact_alloc.so" not in maps.read(), "it is really gone"
    take(load("libexact_alloc.so"), "exact_malloc", "libexact_alloc.so")


stage.start()
stage.open_session()
loaded_late()
outer = found_by_its_runpath()
next_one = outer.late_next()
closed_and_loaded_again()
expect.finish(next=next_one)
