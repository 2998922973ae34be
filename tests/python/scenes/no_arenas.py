"""Small objects of a process that may map no more: pymalloc has no arena for them, malloc has room from before."""

import resource
import sys

import stage

COUNT = 150_000
ROOM = 400  # blocks of 100 kB


def kept(objects, width):
    line = stage.line() + 2
    for i in range(COUNT):
        objects[i] = "x" * width
    return line


stage.start()
objects = [None] * COUNT
blocks = [bytearray(100_000) for _ in range(ROOM)]
last = bytearray(100_000)  # what lies before it isn't given back to the system
stage.open_session()
limit = resource.getrlimit(resource.RLIMIT_AS)
resource.setrlimit(resource.RLIMIT_AS, (stage.mapped_bytes() + (128 << 10), limit[1]))
blocks.clear()
line = kept(objects, 77)
resource.setrlimit(resource.RLIMIT_AS, limit)
stage.Expectations().finish(file=__file__, bytes=COUNT * sys.getsizeof(objects[0]), line=line)
