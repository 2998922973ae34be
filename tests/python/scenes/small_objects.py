"""Three million small objects, made and kept on one line; as many made and dropped on another."""

import itertools
import sys

import stage

COUNT = 3_000_000


def kept():
    objects, line = [object() for _ in itertools.repeat(None, COUNT)], stage.line()
    return objects, line


def dropped():
    line = stage.line() + 2
    for _ in itertools.repeat(None, COUNT):
        object()
    return line


def generator():
    yield  # made in the frame of its function, before that runs


if "tracemalloc until a session ends" in sys.argv:
    import tracemalloc

    tracemalloc.start()
stage.start()
tracing = 0
if "tracemalloc until a session ends" in sys.argv:
    stage.open_session(task=2)
    tracemalloc.stop()  # puts back the allocators that it had found, and so takes ours away
if "tracemalloc" in sys.argv:
    import tracemalloc

    tracemalloc.start()
stage.open_session()
objects, kept_line = kept()
if "tracemalloc" in sys.argv:
    tracing = tracemalloc.get_tracemalloc_memory()
dropped_line = dropped()
generators = [generator() for _ in itertools.repeat(None, COUNT // 10)]
stage.Expectations().finish(
    file=__file__,
    bytes=COUNT * sys.getsizeof(objects[0]),
    kept={"line": kept_line, "more": sys.getsizeof(objects) + tracing},
    dropped={"line": dropped_line},
)
