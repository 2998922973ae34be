"""The kernel's count of kills in our cgroup, as `submit` and `run` read it: an old kill is not that of who ends now."""

import importlib
import pathlib
import threading

import pytest


class Counter:
    """Counts as the kernel would, by a clock of its own."""

    def __init__(self, package, monkeypatch):
        monkeypatch.syspath_prepend(str(package))
        self.module = importlib.import_module("sparkmemprof.cli.kernel_kills")
        self.now, self.count, self.ahead = 1000.0, 7, 0.0
        self.kills = self.module.KernelKills(lambda: (self.count, None), clock=lambda: self.now, wall=self.wall)

    def wall(self):
        """People's clock, which may be set."""
        return self.now + self.ahead

    def pass_by(self, seconds):
        """A reading every five seconds."""
        for _ in range(seconds // 5):
            self.now += 5
            self.kills.look()

    def within(self, seconds, pid=None):
        count, since, *_ = self.kills.within(seconds, pid)
        return count, self.now - since

    def ended(self, pid):
        return self.kills.within(0, pid).until


def test_a_kill_counts_for_who_ends_soon_after(package, monkeypatch):
    counter = Counter(package, monkeypatch)
    counter.pass_by(3600)
    counter.count += 2
    assert counter.within(10) == (2, 10)
    counter.kills.look()  # a moment before the end is known
    assert counter.within(10) == (2, 10)
    counter.pass_by(15)
    assert [counter.within(10), counter.within(120)] == [(0, 10), (2, 120)]
    counter.pass_by(120)
    assert counter.within(120) == (0, 120)


def test_of_a_short_run_all_kills_count(package, monkeypatch):
    counter = Counter(package, monkeypatch)
    counter.count += 1
    counter.now += 3
    assert counter.within(10) == counter.within(120) == (1, 3)


@pytest.mark.parametrize("ahead", [-3600.0, 3600.0])
def test_a_clock_that_is_set_moves_no_kill(package, monkeypatch, ahead):
    counter = Counter(package, monkeypatch)
    counter.count += 1  # of long ago
    counter.pass_by(600)
    counter.count += 2
    counter.ahead = ahead
    counter.pass_by(5)
    count, since, until, _ = counter.kills.within(10)
    assert count == 2
    assert (since, until) == (counter.now - 10, counter.now + ahead), "as the clock said then"


def test_few_readings_are_kept(package, monkeypatch):
    counter = Counter(package, monkeypatch)
    counter.pass_by(7200)
    assert len(counter.kills._readings) <= 26


def test_a_counter_that_can_not_be_read(package, monkeypatch):
    counter = Counter(package, monkeypatch)
    counter.count = None
    counter.kills.look()
    assert counter.within(10) == (None, 0)
    assert counter.module.KernelKills(lambda: (None, None)).within(10).kills is None


@pytest.fixture
def driver_watch(package, monkeypatch):
    monkeypatch.syspath_prepend(str(package))
    return importlib.import_module("sparkmemprof.cli.driver_watch")


@pytest.mark.parametrize(
    ("jvm", "status", "seconds"),
    [
        (4_194_001, -9, 10),
        (4_194_001, 1, 120),  # it may have been its Python
        (4_194_002, 137, 120),  # a script lies between
    ],
)
def test_which_kills_count(driver_watch, monkeypatch, jvm, status, seconds):
    asked = []
    with driver_watch.DriverWatch("job.py", 65536, True) as watch:
        lately = watch._kills.within(10)._replace(kills=1)
        pathlib.Path(watch.folder, f"{jvm}.report-place").write_text("shown ")
        monkeypatch.setattr(watch._kills, "within", lambda *given: asked.append(given) or lately)
        watch.finish(4_194_001, status, watch.folder)  # removed at the end
    assert asked == [(seconds, 4_194_001)]


def test_who_is_asked_for_late_died_when_it_was_found_gone(package, monkeypatch):
    """A notebook's JVM: its user may not touch it for an hour. Kills of before and after were of others."""
    counter = Counter(package, monkeypatch)
    gone = []
    counter.kills = counter.module.KernelKills(
        lambda: (counter.count, None),
        clock=lambda: counter.now,
        gone=lambda: gone[-1] if gone else None,
        wall=counter.wall,
    )
    counter.pass_by(600)
    counter.count += 1  # of another kernel
    counter.pass_by(600)
    counter.count += 1
    gone.append(4_194_003)
    counter.pass_by(5)
    counter.count += 2  # of others
    counter.pass_by(3600)
    assert counter.within(10, 4_194_003) == (1, 3600 + 10)
    assert counter.ended(4_194_003) == counter.now - 3600
    assert counter.within(120, 4_194_004) == (0, 120), "that one lives"
    assert counter.ended(4_194_004) == counter.now
    counter.count += 1
    gone.append(4_194_004)
    counter.pass_by(30)
    assert counter.within(10, 4_194_003) == (1, 3630 + 10)
    assert counter.within(10, 4_194_004) == (1, 25 + 10)
    counter.count = None
    gone.append(4_194_005)
    counter.kills.look()
    counter.now += 60
    counter.count = 99
    assert counter.ended(4_194_005) == counter.now - 60
    assert counter.within(10, 4_194_005) == (None, 60), "it could not be read then"


def test_how_full_the_host_was_before_an_end(package, monkeypatch):
    counter = Counter(package, monkeypatch)
    room, gone = [900], []
    counter.kills = counter.module.KernelKills(
        lambda: (counter.count, room[-1]),
        clock=lambda: counter.now,
        gone=lambda: gone[-1] if gone else None,
    )

    def least(pid=None):
        return counter.kills.within(10, pid).least_available

    counter.pass_by(60)
    room.append(3)
    counter.pass_by(5)
    room.append(500)  # what it held is free again
    gone.append(4_194_003)
    counter.pass_by(5)
    assert least() == 3
    counter.pass_by(60)
    assert least() == 500
    assert least(4_194_003) == 3
    room.append(None)
    counter.pass_by(60)
    assert least(4_194_004) is None, "it can't be read any more"


def test_what_a_watch_says_of_an_end(driver_watch, monkeypatch):
    looks = []
    bounds = {"oomKills": 7, "availableBytes": 11}
    monkeypatch.setattr(driver_watch, "_memory_bounds", lambda: looks.append(1) or bounds)
    with driver_watch.DriverWatch("job.py", 65536, True, gone=lambda: 4_194_001) as watch:
        watch._kills.stop()  # its thread
        before = len(looks)
        watch._kills.look()
        assert len(looks) == before + 1, "all of a look is read at once"
        seen = watch._kills.within(10, 4_194_001).until
        moment = watch._moment(4_194_001, 10)
        before = len(looks)
        watch._moment(4_194_002, 10)
        assert len(looks) == before + 1
    assert (moment["ended_ms"], moment["kernel_kills"]) == (int(1000 * seen), 0)
    assert moment["host_available_bytes"] == 11
    assert seen < watch._kills.within(10, 4_194_002).until


def test_its_thread_looks_until_it_is_stopped(package, monkeypatch):
    counter = Counter(package, monkeypatch)
    monkeypatch.setattr(counter.module, "_BETWEEN_SECONDS", 0.01)
    looked = threading.Event()
    kills = counter.module.KernelKills(lambda: looked.set() or (1, None))
    looked.clear()
    kills.start()
    assert looked.wait(30)
    (thread,) = [each for each in threading.enumerate() if each.name == "sparkmemprof-kernel-kills"]
    kills.stop()
    thread.join(30)
    assert not thread.is_alive()
