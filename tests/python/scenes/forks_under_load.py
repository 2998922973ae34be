"""Forks while other threads allocate and unwind: no child may hang or crash, whatever those threads were doing."""

import os
import threading

import stage

library = stage.load("exact_alloc")
stage.start()
stage.open_session()
stop = False


def churn():
    while not stop:
        library.exact_free(library.exact_malloc(300_001))
        library.exact_free(library.exact_malloc_in_thread(300_003))


threads = [threading.Thread(target=churn) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(60):
    child = os.fork()
    if child == 0:
        stage.start()
        for _ in range(20):
            library.exact_free(library.exact_malloc(300_005))
        stage.hooks.stop()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
stop = True
for thread in threads:
    thread.join()
stage.Expectations().finish()
