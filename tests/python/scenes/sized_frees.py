"""Blocks that are given back by C23's functions, where an allocator has them."""

import ctypes
import os

import stage

library = stage.load("exact_alloc")
caller = ctypes.CDLL(os.path.join(stage.NATIVE, "libsized_frees_caller.so"))
for function in (caller.exact_free_sized, caller.exact_free_aligned_sized):
    function.restype, function.argtypes = None, (ctypes.c_void_p, ctypes.c_size_t)
expect = stage.Expectations()

stage.start()
stage.open_session()
for allocate, free in (
    (library.exact_malloc, caller.exact_free_sized),
    (library.exact_memalign, caller.exact_free_aligned_sized),
):
    size = expect.size()
    block, line = allocate(size), stage.line()
    free(block, size)
    expect.note(size, line, live=0)
expect.finish()
