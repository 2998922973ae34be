"""Memory that is refused, in the way that the argument names: an aligned block, a mapping, or the arenas of many small
objects.

A wrong alignment and an empty mapping are refused, too, but no memory was missing then. Nor where a machine has no huge
pages set aside, or no addresses to reserve.
"""

import mmap
import resource
import sys
import time

import stage

MORE_THAN_THERE_IS = (1 << 50) + 64 * 7
COUNT = 4_000_000
MAP_FAILED = (1 << 64) - 1
HUGE = 1 << 50
NO_MEMORY_MISSING = {"misaligned": 64, "mmap-empty": 0, "mmap-huge-pages": HUGE, "mmap-reservation": HUGE}  # bytes
PROT_NONE = 0
MAP_HUGETLB = 0x40000


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
    size = NO_MEMORY_MISSING.get(way, MORE_THAN_THERE_IS)
    words = ()
    if way.startswith("mmap"):
        flags = mmap.MAP_PRIVATE | (MAP_HUGETLB if way == "mmap-huge-pages" else 0)
        words = (PROT_NONE if way == "mmap-reservation" else mmap.PROT_READ | mmap.PROT_WRITE, flags)
    refuse = getattr(library, f"exact_{way.split('-')[0]}")
    block, line = refuse(size, *words), stage.line()
    failed = block in (None, MAP_FAILED)
stage.Expectations().finish(file=__file__, line=line, failed=failed, asked=MORE_THAN_THERE_IS)
