"""The kernel's kills in our cgroup of late, of which a process may have died that has just ended, and how full the host
was then."""

import collections
import threading
import time
from typing import NamedTuple

_BETWEEN_SECONDS = 5
_MOST_SECONDS = 120
_FULL_SECONDS = 10  # an older figure of the host's memory says nothing of an end


class _Reading(NamedTuple):
    at: float  # seconds of a clock that is never set, by which readings are ordered
    wall: float  # seconds since the epoch
    kills: "int | None"
    available: "int | None"


class Lately(NamedTuple):
    """What is known of an end. Times are seconds since the epoch, as the clock said then."""

    kills: "int | None"  # how often the kernel has killed; None: not known
    since: float
    until: float
    least_available: "int | None"  # of the host's memory, in the last ten seconds; None: not known


class KernelKills:
    """Reads the counter and the host's memory now and then, from start() to stop(), on a thread of its own. One that
    isn't started has the first reading alone. Kills of long ago, of a neighbour or of an executor in the same cgroup,
    say nothing of an end.

    `read`: returns (the counter, bytes of the host's memory that nobody uses); None: it can't be read. Never raises.
    `clock`: seconds, of a clock that is never set; `wall`: those since the epoch. `gone`: for who may learn late of an
    end: the pid of the process that has ended, or None. Never raises. It is asked at each reading, and what was read
    until it is first named is kept for that process.
    """

    def __init__(self, read, clock=time.monotonic, gone=lambda: None, wall=time.time):
        self._read = read
        self._clock = clock
        self._wall = wall
        self._gone = gone
        self._ends = {}  # by pid: the reading then, and those before
        self._first = None  # with a count
        self._readings = collections.deque()  # the oldest first
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
        now = self._now()
        with self._lock:
            if now.kills is not None:
                self._first = self._first or now
            self._readings.append(now)
            while len(self._readings) > 1 and self._readings[1].at <= now.at - _MOST_SECONDS:
                self._readings.popleft()
            if gone is not None:
                self._ends.setdefault(gone, (now, tuple(self._readings)))

    def within(self, seconds, pid=None):
        """Lately: until a reading found that process gone first, and until now if none did; from the last reading that
        is at least so many seconds older, at most 120, and without one from the first. Of the host's memory the least
        counts: what that process held is free once it is gone, so the last reading says less."""
        now, readings = self._until(pid)
        old = [each for each in readings if each.at <= now.at - seconds and each.kills is not None]
        since = old[-1] if old else self._first
        room = [each.available for each in (*readings, now) if each.at >= now.at - _FULL_SECONDS]
        least = min((free for free in room if free is not None), default=None)
        if now.kills is None or since is None:
            return Lately(None, now.wall, now.wall, least)
        return Lately(max(0, now.kills - since.kills), since.wall, now.wall, least)

    def _until(self, pid):
        with self._lock:
            return self._ends.get(pid) or (self._now(), tuple(self._readings))

    def _now(self):
        kills, available = self._read()
        return _Reading(self._clock(), self._wall(), kills, available)

    def _look_on(self):
        while not self._stopped.wait(_BETWEEN_SECONDS):
            self.look()
