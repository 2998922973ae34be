"""After stop() the process runs on as if nothing had been; a new start() makes a new box."""

import gc

import stage

library = stage.load("exact_alloc")
stage.start()
stage.open_session(task=1)
before = library.exact_malloc(1_999_993)
objects = [bytes(100) for _ in range(100_000)]
stage.hooks.close_session()
stage.hooks.stop()
assert not stage.hooks.started()
stage.hooks.stop()  # once more changes nothing

library.exact_free(before)
del objects
gc.collect()
unseen = library.exact_malloc(2_999_993)
more = [bytes(100) for _ in range(100_000)]

stage.start()
stage.open_session(task=2)
library.exact_free(unseen)
library.exact_malloc(3_999_993)
stage.Expectations().finish()
