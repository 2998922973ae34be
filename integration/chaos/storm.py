"""One application whose processes are killed at random moments, and what its post-mortems say of each death.

A Storm needs what the tests have (integration/tests/conftest.py): Spark, a jar, a folder; and a memory cgroup for each
of the cluster's workers, without which nothing is killed for its memory. judging.py holds each death against the truth.
"""

import contextlib
import json
import os
import pathlib
import random
import signal
import time

import judging
import kernel
import processes
from memory_cgroups import kernel_kills, memory_in_use

LIMIT_BYTES = 1_200_001_024  # of a container: its executor, and a worker that takes memory until it is stopped
DEATH_SECONDS = 60  # that a death may take to happen
EXECUTOR_SHARE, MEMORY_SHARE = 0.25, 0.33
FULL_SHARE = 0.5  # of what is killed by SIGKILL: in a container that is nearly full
FULL = 0.9  # of its limit


class Storm:
    def __init__(self, launcher, cluster, containers, folder, seed):
        self._launcher = launcher
        self._cluster = cluster
        self._containers = containers
        self._folder = folder
        self._random = random.Random(seed)
        self.boxes = folder / "boxes"
        self.boxes.mkdir()
        self.deaths = []
        self.filled = 0  # containers that were nearly full when something in them was killed by SIGKILL
        self._killed_jvms = set()
        self._kernel = kernel.KernelKills(containers)
        self._homes = {}  # the container of each executor

    def run(self, deaths):
        """Kills so many; returns the finished Run."""
        conf = {
            "spark.executor.memory": "512m",
            "spark.executor.cores": "2",
            "spark.task.maxFailures": "1000",
            "spark.stage.maxConsecutiveAttempts": "1000",
            "spark.memprof.box.dir": str(self.boxes),
            "spark.memprof.snapshot.seconds": "1",
            "spark.executor.heartbeatInterval": "1s",
        }
        launch = self._launcher.prepare(judging.JOB, self._folder, master=self._cluster.master, conf=conf)
        out, err = self._folder / "stdout.log", self._folder / "stderr.log"
        with out.open("w") as stdout, err.open("w") as stderr, self._kernel:
            process = launch.start(stdout=stdout, stderr=stderr)
            try:
                while len(self.deaths) < deaths and process.poll() is None:
                    self._strike()
                (self._folder / "stop").touch()
                launch.run.status = process.wait(processes.patient(120))
            finally:
                processes.stop(process)
        launch.run.work = self._cluster.work
        launch.run.stdout, launch.run.stderr = out.read_text(), err.read_text()
        return launch.run

    def _notes(self):
        """{pid: note} of the workers that hold their block now; orphans, which end soon, left out."""
        notes = {}
        for path in self._folder.glob("[0-9]*"):
            if path.name.isdigit() and pathlib.Path(f"/proc/{path.name}").exists():
                with contextlib.suppress(OSError, ValueError):
                    notes[int(path.name)] = json.loads(path.read_text())
        for note in notes.values():
            if note["executor"] not in self._homes and (home := self._container_of(note["jvm"])) is not None:
                self._homes[note["executor"]] = str(home)
        return {pid: note for pid, note in notes.items() if note["jvm"] not in self._killed_jvms}

    def _strike(self):
        time.sleep(self._random.uniform(0.1, 1.2))
        notes = self._notes()
        if not notes:
            return
        pid = self._random.choice(sorted(notes))
        kind = self._random.choices(
            ["worker", "executor", "memory"],
            [1 - EXECUTOR_SHARE - MEMORY_SHARE, EXECUTOR_SHARE, MEMORY_SHARE if self._containers else 0],
        )[0]
        if kind != "memory" and self._containers and self._random.random() < FULL_SHARE:
            notes = self._fill(pid, notes)
        {"worker": self._kill_worker, "executor": self._kill_executor, "memory": self._starve}[kind](pid, notes)

    def _fill(self, pid, notes):
        """The worker takes memory until its container is nearly full; the notes then."""
        container = self._container_of(pid)
        if container is None:
            return notes
        task = notes[pid]["task"]
        room = int(FULL * LIMIT_BYTES) - memory_in_use(container)
        draft = self._folder / f"{pid}.{task}.draft-eat"
        draft.write_text(str(max(1, room)))
        draft.rename(self._folder / f"{pid}.{task}.eat")
        end = time.monotonic() + processes.patient(DEATH_SECONDS)
        while (now := self._notes()).get(pid, {}).get("task") == task and time.monotonic() < end:
            if now[pid]["held"] == "full":
                self.filled += 1
                break
            time.sleep(0.02)
        return now

    def _kill_worker(self, pid, notes):
        if pid not in notes:
            return
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)  # what it holds stays as it is
            if pid in self._notes():
                self._remember("worker", pid, notes[pid], [pid], self._container_of(pid))
            else:
                os.kill(pid, signal.SIGCONT)
                return
            os.kill(pid, signal.SIGKILL)
            (self._folder / str(pid)).unlink()

    def _kill_executor(self, pid, notes):
        if pid not in notes:
            return
        jvm = notes[pid]["jvm"]
        container = self._container_of(jvm)
        with contextlib.suppress(ProcessLookupError):
            os.kill(jvm, signal.SIGKILL)
            self._killed_jvms.add(jvm)
            mine = [each for each, note in notes.items() if note["jvm"] == jvm]
            self._remember("executor", jvm, notes[pid], mine, container, notes=notes)

    def _starve(self, pid, notes):
        """The worker takes memory until the kernel kills something of its container."""
        container = self._container_of(pid)
        if container is None:
            return
        before = kernel_kills(container)
        task = notes[pid]["task"]
        (self._folder / f"{pid}.{task}.eat").touch()
        end = time.monotonic() + processes.patient(DEATH_SECONDS)
        while pathlib.Path(f"/proc/{pid}").exists() and time.monotonic() < end:
            if self._notes().get(pid, {}).get("task") != task and pathlib.Path(f"/proc/{pid}").exists():
                return  # its task ended just before
            time.sleep(0.02)
        time.sleep(0.2)
        self._remember("memory", pid, notes[pid], [pid], container)
        self.deaths[-1].kernel_kills = kernel_kills(container) - before
        (self._folder / str(pid)).unlink(missing_ok=True)

    def _container_of(self, pid):
        with contextlib.suppress(OSError):
            for container in self._containers:
                if str(pid) in (container / "cgroup.procs").read_text().split():
                    return container
        return None

    def _remember(self, kind, pid, note, workers, container, *, notes=None):
        held = [(notes or {pid: note}).get(each, note) for each in workers]
        tasks, names = [each["task"] for each in held], [each["held"] for each in held]
        self.deaths.append(judging.Death(kind, note["executor"], pid, tasks, names, container and str(container)))

    def judge(self, report):
        """The Judgement of the post-mortems in this report.json."""
        return judging.judge(report, self.deaths, self._kernel.all(), self._homes)
