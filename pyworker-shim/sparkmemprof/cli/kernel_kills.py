"""The kernel's kills in our cgroup of late: of these a process may have died that has just ended."""

import collections
import threading
import time

_BETWEEN_SECONDS = 5
_MOST_SECONDS = 120


class KernelKills:
    """Reads the counter now and then, from start() to stop(), on a thread of its own. One that isn't started has the
    first reading alone. Kills of long ago, of a neighbour or of an executor in the same cgroup, say nothing of an end.

    `read`: returns the counter; None: it can't be read. Never raises. `clock`: seconds since the epoch. `gone`: for who
    may learn late of an end: the pid of the process that has ended, or None. Never raises. It is asked at each reading,
    and what was counted until it is first named is kept for that process.
    """

    def __init__(self, read, clock=time.time, gone=lambda: None):
        self._read = read
        self._clock = clock
        self._gone = gone
        self._ends = {}  # by pid: the time, the count and the readings then
        self._first = None
        self._readings = collections.deque()  # (time, count), the oldest first
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self.look()

    def start(self):
        threading.Thread(target=self._look_on, name="sparkmemprof-kernel-kills", daemon=True).start()

    def stop(self):
        self._stopped.set()

    def look(self):
        """Takes a reading. Of those that are older than anybody asks for, the last one stays."""
        gone = self._gone()  # first: its kill is then in the count
        count, now = self._read(), self._clock()
        with self._lock:
            if count is not None:
                self._first = self._first or (now, count)
                self._readings.append((now, count))
            while len(self._readings) > 1 and self._readings[1][0] <= now - _MOST_SECONDS:
                self._readings.popleft()
            if gone is not None:
                self._ends.setdefault(gone, (now, count, tuple(self._readings)))

    def within(self, seconds, pid=None):
        """(how often it has killed, since when, until when): until a reading found that process gone first, and until
        now if none did; from the last reading that is at least so many seconds older, at most 120, and without one from
        the first. How often is None where it isn't known. Times are seconds since the epoch."""
        with self._lock:
            now, count, readings = self._ends.get(pid) or (self._clock(), self._read(), self._readings)
            old = [each for each in readings if each[0] <= now - seconds]
            since = old[-1] if old else self._first
        if count is None or since is None:
            return None, now, now
        return max(0, count - since[1]), since[0], now

    def _look_on(self):
        while not self._stopped.wait(_BETWEEN_SECONDS):
            self.look()
