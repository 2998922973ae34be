"""What a user's helper module looks like: a native library behind ctypes. It never gives its buffer back."""

import ctypes
import os

_library = ctypes.CDLL(os.environ["TEST_LIBRARY"])
_library.exact_malloc.restype = ctypes.c_void_p
_library.exact_malloc.argtypes = [ctypes.c_size_t]
_library.exact_touch.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_library.exact_free.argtypes = [ctypes.c_void_p]


def with_scratch(size, total):
    buffer = _library.exact_malloc(size)  # the line
    _library.exact_touch(buffer, size)
    result = float(total)
    _library.exact_free(buffer)
    return result
