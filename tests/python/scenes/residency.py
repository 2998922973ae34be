"""Large blocks, untouched, half touched and touched; given back inside the call, or still held when the session closes.

A session each: what is shown is resident at the session's peak.
"""

import stage

library = stage.load("exact_alloc")
expect = stage.Expectations()
SIZE = 268_435_459
SHARES = {0: [0, 0.01], 0.5: [0.49, 0.51], 1: [0.99, 1]}  # of the block, touched: what may be seen resident


def take(size, share, given_back):
    block, line = library.exact_malloc(size), stage.line()
    library.exact_touch(block, int(share * size))
    if given_back:
        library.exact_free(block)
    expect.note(size, line, resident=SHARES[share], live=0 if given_back else size)
    return block


stage.start()
task = 0
for given_back in (True, False):
    for share in SHARES:
        task += 1
        stage.open_session(task)
        block = take(SIZE + 2 * task, share, given_back)
        expect.found[-1]["task"] = task
        stage.hooks.close_session()
        if not given_back:
            library.exact_free(block)
expect.finish()
