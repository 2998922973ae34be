"""What a process's resident memory is made of: blocks of a library, a pool that it reserves, objects, retention.

Prints what the rows must hold, and the session is closed before.
"""

import mmap

import stage

library = stage.load("exact_alloc")
expect = stage.Expectations()
PAGE = mmap.PAGESIZE
READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE
MAP_NORESERVE = 0x4000

stage.start()
stage.open_session()

# Half of a block, which is a mapping of its own and starts 16 bytes behind a page's start.
size = 48_000_017
block = library.exact_malloc(size)
library.exact_touch(block, size // 2)

# An allocator of its own: a reservation of 1 GiB, of which it uses a little. Its line is nobody's.
pool, pool_line = library.exact_mmap(1 << 30, READ_WRITE, mmap.MAP_PRIVATE | MAP_NORESERVE), stage.line()
library.exact_touch(pool, 9001 * PAGE)
gone = library.exact_mmap(1 << 30, READ_WRITE, mmap.MAP_PRIVATE | MAP_NORESERVE)
library.exact_touch(gone, 5001 * PAGE)
library.exact_munmap(gone, 0, 1 << 30)

# Shared anonymous memory: the kernel counts it as such, whoever mapped it.
shared_bytes = 9_013 * PAGE
shared = mmap.mmap(-1, shared_bytes + 101 * PAGE)
shared.write(b"x" * len(shared))
shared.resize(shared_bytes)

objects = [(number, str(number)) for number in range(300_000)]  # 300,000 tuples of 56 bytes, as many texts

# Every second one of many blocks is given back, so that malloc can't give anything back.
holes = [library.exact_malloc(3001) for _ in range(40_000)]
for hole in holes:
    library.exact_touch(hole, 3001)
for hole in holes[::2]:
    library.exact_free(hole)

expect.finish(
    shared=shared_bytes,
    block=size // 2 // PAGE * PAGE,
    pool=9001 * PAGE,
    pool_line=pool_line,
    small=20_000 * 3024,
    retention=20_000 * 3024,
)
