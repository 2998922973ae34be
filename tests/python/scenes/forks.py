"""A fork: the parent's box stays the parent's, the child is inert until it starts, and then has a box of its own."""

import os

import stage

library = stage.load("exact_alloc")
expect = stage.Expectations()
stage.start()
stage.open_session(task=1)
size = expect.size()
_, line = library.exact_malloc(size), stage.line()
expect.note(size, line)

child_size, restarted_size = expect.size(), expect.size()
child = os.fork()
if child == 0:
    assert not stage.hooks.started()
    library.exact_free(library.exact_malloc(child_size))
    [object() for _ in range(100_000)]
    stage.start()
    stage.open_session(task=2)
    library.exact_malloc(restarted_size)
    stage.hooks.close_session()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0

size = expect.size()
_, line = library.exact_malloc(size), stage.line()
expect.note(size, line)
expect.finish(pid=os.getpid(), child=child, child_size=child_size, restarted_size=restarted_size)
