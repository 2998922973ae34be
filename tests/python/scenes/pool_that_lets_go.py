"""An allocator of its own that lets its pages go before anything known is allocated: madvise, munmap or mapped over."""

import mmap
import sys

import stage

library = stage.load("exact_alloc")
expect = stage.Expectations()
MAP_NORESERVE, MADV_DONTNEED = 0x4000, 4
RESERVED, HELD = 1 << 30, 23_456 * mmap.PAGESIZE

(way,) = sys.argv[1:]
let_go = {
    "madvise": lambda pool: library.exact_madvise(pool, HELD, MADV_DONTNEED),
    "munmap": lambda pool: library.exact_munmap(pool, 0, RESERVED),
    "mapped over": lambda pool: library.exact_mmap_at(pool, 0, RESERVED),
}[way]

stage.start()
stage.open_session()
pool = library.exact_mmap(RESERVED, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | MAP_NORESERVE)
library.exact_touch(pool, HELD)
let_go(pool)
expect.finish(pool=HELD)
