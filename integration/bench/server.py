"""A process of a benchmark that waits for its next unit: a line in, a line of numbers out."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from results import Pairs

HERE = Path(__file__).resolve().parent
MOST_SECONDS_TO_END = 60


class Server:
    """`waits_for_ready`: it prints a line that begins with "ready" when it has started; `started`: its other words.

    `before`: words before the script; {folder} in them is the process's own, which goes with it.
    """

    def __init__(self, script: str, *arguments: str, before: Sequence[str] = (), waits_for_ready: bool = False) -> None:
        self._ends = contextlib.ExitStack()
        folder = self._ends.enter_context(tempfile.TemporaryDirectory(prefix="sparkmemprof-bench-"))
        errors = Path(folder, "stderr").open("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 -- see __exit__
        self._errors = self._ends.enter_context(errors)
        self._process = subprocess.Popen(
            [sys.executable, *(word.format(folder=folder) for word in before), str(HERE / script), *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            start_new_session=True,  # Scalene runs the script in a process below its own
            # As PySpark sets it; BLAS threads that wait count as CPU time.
            env={**os.environ, "OMP_NUM_THREADS": "1", "TMPDIR": folder},
        )
        self.started = self._words("ready") if waits_for_ready else []

    def _words(self, first: str) -> list[str]:
        """Of the next line that begins with `first`, the others: a JVM's libraries may print lines of their own."""
        for line in self._process.stdout:
            words = line.split()
            if words[:1] == [first]:
                return words[1:]
        self._errors.seek(0)
        said = self._errors.read()[-2000:]
        raise SystemExit(f"{' '.join(self._process.args)} ended with status {self._process.wait()}:\n{said}")

    def run(self, how: str) -> list[float]:
        """`how`: "bare" or "profiled"."""
        with contextlib.suppress(BrokenPipeError):  # it has ended: the next line tells why
            self._process.stdin.write(how + "\n")
            self._process.stdin.flush()
        return [float(word) for word in self._words("took")]

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        with self._ends:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
            try:
                self._process.wait(MOST_SECONDS_TO_END)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()


def pairs_of(servers: Mapping[str, Server], count: int, warm_up: int = 0) -> Pairs:
    """`servers` by "profiled" and "bare", which may be one. The first `warm_up` don't count."""
    found: Pairs = {"cpu": [], "wall": []}
    for number in range(warm_up + count):
        times = {how: servers[how].run(how) for how in random.sample(["profiled", "bare"], 2)}
        if number < warm_up:
            continue
        for i, clock in enumerate(("cpu", "wall")):
            found[clock].append([times["profiled"][i], times["bare"][i]])
    return found


def both(server: Server) -> dict[str, Server]:
    """One process for profiled and bare units."""
    return dict.fromkeys(("profiled", "bare"), server)
