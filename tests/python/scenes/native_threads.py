"""Objects that a thread of a library makes while one Python thread waits for it; and while a second one is there."""

import ctypes
import sys
import threading

import stage

COUNT, SIZE = 60_000, 201

library = stage.load("exact_alloc")
functions = ("PyGILState_Ensure", "PyBytes_FromStringAndSize", "PyGILState_Release")
gil_and_bytes = [ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p) for name in functions]


def make():
    library.exact_objects_in_thread(*gil_and_bytes, ctypes.c_size_t(COUNT), ctypes.c_size_t(SIZE))


def waited_for():
    make()


def beside_another():
    over = threading.Event()
    another = threading.Thread(target=over.wait)
    another.start()
    make()
    over.set()
    another.join()


stage.start()
stage.open_session(task=1)
waited_for()
stage.open_session(task=2)
beside_another()
stage.Expectations().finish(file=__file__, bytes=COUNT * sys.getsizeof(bytes(SIZE)))
