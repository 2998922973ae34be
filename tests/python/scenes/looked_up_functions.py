"""Functions of libc's that ctypes has looked up: what they take and give back."""

import ctypes

import stage

library = stage.load("exact_alloc")
expect = stage.Expectations()

stage.start()
stage.open_session()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
libc.free.restype, libc.free.argtypes = None, [ctypes.c_void_p]

size = expect.size()
block, line = library.exact_malloc(size), stage.line()
libc.free(block)
expect.note(size, line, live=0)

size = expect.size()
block, line = libc.malloc(size), stage.line()
expect.note(size, line, live=size)

expect.finish(missing=hasattr(libc, "no_such_function"), other=ctypes.CDLL(None).getpid() > 0)
