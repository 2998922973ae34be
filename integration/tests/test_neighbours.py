"""A directory of black boxes that others use, too: another application, and whoever puts there what is no box."""

import os
import pathlib
import signal
import subprocess

import pytest
from conftest import BESIDE_BYTES, LOCAL_CLUSTER, RUN_SECONDS, demand_blocks, sites_at, warnings_of
from processes import kill_session, patient, until

pytestmark = pytest.mark.one_line

JOB = "neighbours.py"
BLOCK_BYTES = 7_100_003


class Running:
    """Jobs that go on side by side once all of them hold their blocks."""

    def __init__(self, folder):
        self.folder = folder
        self.boxes = folder / "boxes"
        self.boxes.mkdir()
        self._processes = []

    def start(self, launches):
        """(name, Launch) pairs, all prepared before any starts; in turn, for a cluster's ids are of the second."""
        for name, launch in launches:
            process = launch.start(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self._processes.append((process, launch.run))
            until((self.folder / f"{name}.here").exists, RUN_SECONDS, f"{name} holds its block")

    def finish(self):
        (self.folder / "go").touch()
        for process, run in self._processes:
            run.stdout, run.stderr = process.communicate(timeout=patient(RUN_SECONDS))
            run.status = process.returncode
        return [run for _, run in self._processes]


@pytest.fixture
def running(tmp_path):
    running = Running(tmp_path)
    yield running
    for process, _ in running._processes:
        kill_session(process)


def demand_whole(run):
    run.demand_success()
    assert run.result() == 2 * BLOCK_BYTES
    report = run.report()
    (site,) = sites_at(report["stages"][0]["sites"], JOB, "held")
    demand_blocks(site, BLOCK_BYTES, tasks=1)
    assert report["postMortems"] == []
    return report


@pytest.mark.full
def test_two_applications_at_once(spark_run, running):
    names = ["one", "two"]
    conf = {"spark.memprof.box.dir": str(running.boxes)}
    launches = [(name, spark_run.prepare(JOB, running.folder, name, master=LOCAL_CLUSTER, conf=conf)) for name in names]
    running.start(launches)
    kept = {path.parent for path in running.boxes.rglob("*.box")}
    assert len(kept) == len(names), "a directory for each application"
    workers = {}
    for run in running.finish():
        report = demand_whole(run)
        processes = [row for executor in report["executors"] for row in executor["processes"]]
        workers[run.reports] = {row["pid"] for row in processes if row["kind"] == "python-worker"}
        assert workers[run.reports]
        assert warnings_of(run) == []
    assert not set.intersection(*workers.values()), "each has its own"
    assert not list(running.boxes.rglob("*.box"))


def executor_of(running, name):
    daemon = (running.folder / f"{name}.here").read_text()
    parent = int(pathlib.Path(f"/proc/{daemon}/stat").read_text().rpartition(")")[2].split()[1])
    assert b"CoarseGrainedExecutorBackend" in pathlib.Path(f"/proc/{parent}/cmdline").read_bytes()
    return parent


@pytest.mark.full
def test_one_of_two_applications_loses_an_executor(spark_run, running):
    conf = {"spark.memprof.box.dir": str(running.boxes)}
    names = ["one", "two"]
    running.start(
        [(name, spark_run.prepare(JOB, running.folder, name, master=LOCAL_CLUSTER, conf=conf)) for name in names]
    )
    lost = executor_of(running, "one")
    before = (running.folder / "one.here").read_text()
    os.kill(lost, signal.SIGKILL)
    until(lambda: (running.folder / "one.here").read_text() != before, RUN_SECONDS, "another executor has the task")
    one, two = running.finish()
    demand_whole(two)
    one.demand_success()
    assert one.result() == 2 * BLOCK_BYTES
    (death,) = one.report()["postMortems"]
    assert (death["process"], death["pid"], death["exitCode"], death["outOfMemory"]) == ("jvm", lost, 137, False)
    (site,) = sites_at(death["sites"], JOB, "held")
    assert 0 <= site["liveAtPeakBytes"] - BLOCK_BYTES < BESIDE_BYTES


@pytest.mark.parametrize("master", ["local[2]", pytest.param(LOCAL_CLUSTER, marks=pytest.mark.full)])
def test_files_that_are_no_boxes(spark_run, running, master):
    conf = {"spark.memprof.box.dir": str(running.boxes), "spark.memprof.snapshot.seconds": "1"}
    running.start([("one", spark_run.prepare(JOB, running.folder, "one", master=master, conf=conf))])
    (box,) = running.boxes.rglob("*.box")
    content = box.read_bytes()

    def planted(number):
        return box.with_name(box.name.replace(".box", f"{number:x}.box"))

    def plant(number, forged):  # at once: the agent looks all the while
        path = planted(number)
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_bytes(forged)
        unfinished.chmod(0o600)
        return unfinished.rename(path)

    halved = plant(1, content[: len(content) // 2])
    foreign = plant(2, content[:8] + b"\xff\xff\xff\x7f" + content[12:])  # its version
    counts = plant(3, content[:64] + b"\xff" * 512 + content[576:])  # its tables
    planted(4).symlink_to("/etc/passwd")
    os.mkfifo(planted(5))
    planted(6).mkdir()
    strangers = [planted(number) for number in range(1, 7)]
    (run,) = running.finish()
    report = demand_whole(run)
    told = [(entry["what"], entry["why"]) for entry in report["notAvailable"]]
    for path, word in ((halved, ""), (foreign, "version"), (counts, "")):
        (why,) = [why for what, why in told if what == f"a Python process in {path}"]  # named once
        assert word in why
    assert all(path.is_symlink() or path.exists() for path in strangers), "what is not ours is not removed"
