"""Two blocks of 100 MB, one of them touched; another touched and given back; one touched in part."""

import stage

library = stage.load("exact_alloc")
expect = stage.Expectations()
SIZE = 100_000_007

stage.start()
stage.open_session()
size = SIZE
untouched, line = library.exact_malloc(size), stage.line()
expect.note(size, line, resident=[0, 0.01])
size += 2
touched, line = library.exact_malloc(size), stage.line()
library.exact_touch(touched, size)
expect.note(size, line, resident=[0.99, 1])
size += 2
half, line = library.exact_malloc(size), stage.line()
library.exact_touch(half, size // 2)
expect.note(size, line, resident=[0.49, 0.51])
size += 2
given_back, line = library.exact_malloc(size), stage.line()
library.exact_touch(given_back, size)
library.exact_free(given_back)
expect.note(size, line, resident=[0.99, 1])
expect.finish()
