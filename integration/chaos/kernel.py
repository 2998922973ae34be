"""When the kernel killed something for its memory: the counters of some memory cgroups, read all the time."""

import collections
import contextlib
import threading
import time

from memory_cgroups import kernel_kills

TICK_SECONDS = 0.05


class KernelKills:
    """A thread reads the counters until the context ends; what was seen stays."""

    def __init__(self, containers):
        self._seen = {container: kernel_kills(container) for container in containers}
        self._times = collections.defaultdict(list)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()
        self._read()

    def all(self):
        """[(container, time.time() by which it was seen)], in the order of time."""
        found = [(container, when) for container, times in self._times.items() for when in list(times)]
        return sorted(found, key=lambda kill: kill[1])

    def _watch(self):
        while not self._over.wait(TICK_SECONDS):
            self._read()

    def _read(self):
        for container, before in self._seen.items():
            with contextlib.suppress(OSError):  # it is gone
                self._seen[container] = kernel_kills(container)
                self._times[container] += [time.time()] * (self._seen[container] - before)
