"""Threads that one task starts and that allocate during the next, where memory is refused to them, too.

They are the user's own, a raw one, and one of a pool.
"""

import _thread
import concurrent.futures
import threading

import stage

MORE_THAN_THERE_IS = (1 << 50) + 64 * 9

library = stage.load("exact_alloc")
expect = stage.Expectations()
go = {name: threading.Event() for name in ("lingers", "raw", "run")}
done = {name: threading.Event() for name in go}
ready = {name: threading.Event() for name in go}
kept = []
goes_on, went_on = threading.Event(), threading.Event()


def take(name, size):
    ready[name].set()
    go[name].wait()
    kept.append(library.exact_malloc(size))
    library.exact_malloc(MORE_THAN_THERE_IS - 64)
    done[name].set()


def lingers(size):
    take("lingers", size)
    goes_on.wait()
    kept.append(library.exact_malloc(2 * size))
    went_on.set()


def raw(size):
    take("raw", size)


class Runs(threading.Thread):
    def __init__(self, size):
        super().__init__(daemon=True)
        self.size = size

    def run(self):
        take("run", self.size)


def started_now(size):
    kept.append(library.exact_malloc(size))


sizes = {name: expect.size() for name in (*go, "of_pool", "of_task", "before")}
stage.start()
stage.open_session(task=1)
threading.Thread(target=lingers, args=(sizes["lingers"],), daemon=True).start()
_thread.start_new_thread(raw, (sizes["raw"],))
Runs(sizes["run"]).start()
before = threading.Thread(target=started_now, args=(sizes["before"],))
before.start()
before.join()
pool = concurrent.futures.ThreadPoolExecutor(1)
pool.submit(int).result()
for event in ready.values():
    event.wait()

stage.hooks.close_session()
stage.open_session(task=2)
library.exact_malloc(MORE_THAN_THERE_IS)
for name, event in go.items():
    event.set()
    done[name].wait()
pool.submit(started_now, sizes["of_pool"]).result()
now = threading.Thread(target=started_now, args=(sizes["of_task"],))
now.start()
now.join()
stage.hooks.close_session()
goes_on.set()
went_on.wait()
stage.open_session(task=3)
expect.finish(
    refused=MORE_THAN_THERE_IS, sizes=sizes, functions={"lingers": "lingers", "raw": "raw", "run": "Runs.run"}
)
