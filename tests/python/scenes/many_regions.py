"""More regions than have room: shared mappings and reservations of one page by turns, which are not joined."""

import mmap

import stage

MOST = 1_024

library = stage.load("exact_alloc")
expect = stage.Expectations()
stage.start()
stage.open_session(task=1)
PAGE = mmap.PAGESIZE
kept = [
    library.exact_mmap(PAGE, 0 if number % 2 else mmap.PROT_READ, mmap.MAP_PRIVATE if number % 2 else mmap.MAP_SHARED)
    for number in range(MOST + 100)
]
stage.hooks.close_session()
stage.open_session(task=2)
expect.finish(kept=len(kept))
