"""The kernel's kills in our cgroup of late: of these a process may have died that has just ended."""

import collections
import threading
import time

_BETWEEN_SECONDS = 5
_MOST_SECONDS = 120


class KernelKills:
    """Reads the counter now and then, from start() to stop(), on a thread of its own. One that isn't started has the
    first reading alone. Kills of long ago, of a neighbour or of an executor in the same cgroup, say nothing of an end.

    `read`: returns the counter; None: it can't be read. Never raises. `clock`: seconds since the epoch.
    """

    def __init__(self, read, clock=time.time):
        self._read = read
        self._clock = clock
        self._first = None
        self._readings = collections.deque()  # (time, count), the oldest first
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self.look()

    def start(self):
        threading.Thread(target=self._look_on, name="sparkmemprof-kernel-kills", daemon=True).start()

    def stop(self):
        self._ended.set()

    def look(self):
        """Takes a reading. Of those that are older than anybody asks for, the last one stays."""
        count, now = self._read(), self._clock()
        if count is None:
            return
        with self._lock:
            self._first = self._first or (now, count)
            self._readings.append((now, count))
            while len(self._readings) > 1 and self._readings[1][0] <= now - _MOST_SECONDS:
                self._readings.popleft()

    def within(self, seconds=None):
        """(how often it has killed, since when) from the last reading that is at least so many seconds old, at most
        120; without a number, or without such a reading, from the first one. How often is None where it isn't known."""
        count, now = self._read(), self._clock()
        with self._lock:
            old = [] if seconds is None else [each for each in self._readings if each[0] <= now - seconds]
            since = old[-1] if old else self._first
        if count is None or since is None:
            return None, now
        return max(0, count - since[1]), since[0]

    def _look_on(self):
        while not self._ended.wait(_BETWEEN_SECONDS):
            self.look()
