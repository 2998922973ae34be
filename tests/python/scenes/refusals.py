"""Memory that is refused, in the way that the argument names: an aligned block, or the arenas of many small objects.

A wrong alignment is refused, too, but no memory was missing then.
"""

import resource
import sys
import time

import stage

MORE_THAN_THERE_IS = (1 << 50) + 64 * 7
COUNT = 4_000_000


def fill(objects, width):
    line = stage.line() + 3
    try:
        for i in range(COUNT):
            objects[i] = "x" * width
    except MemoryError:
        return line, True
    return line, False


way = sys.argv[1]
library = stage.load("exact_alloc")
objects = [None] * COUNT
stage.start()
stage.open_session()
if way == "arenas":
    limit = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (stage.mapped_bytes() + (32 << 20), limit[1]))
    fill(objects, 77)
    for i in range(COUNT):
        objects[i] = None
    stage.open_session(2)  # by now malloc serves small objects, and our wrapper asks pymalloc itself
    time.sleep(0.2)  # a refusal is recorded ten times a second at most
    line, failed = fill(objects, 77)
    resource.setrlimit(resource.RLIMIT_AS, limit)
else:
    size = 64 if way == "misaligned" else MORE_THAN_THERE_IS
    refuse = getattr(library, f"exact_{way}")
    failed, line = refuse(size) is None, stage.line()
stage.Expectations().finish(file=__file__, line=line, failed=failed, asked=MORE_THAN_THERE_IS)
