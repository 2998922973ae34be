"""What was measured so far: pairs of times, kept in a file of JSON lines that the next call adds to; tables of them."""

from __future__ import annotations

import argparse
import collections
import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import provenance
from ratios import Ratio, ratio_of

FOLDER = provenance.ROOT / "build/bench"
LEAST_PROCESSES = 4

Pairs = dict[str, list[list[float]]]  # of each clock, "cpu" and "wall": [profiled, bare] in seconds


class Key(NamedTuple):
    runtime: str  # "CPython 3.11.7", "JDK 17.0.15"
    place: str  # "plain", "Spark worker", …
    workload: str
    profiler: str


class Results:
    def __init__(self, path: Path) -> None:
        self._path = path
        self.groups: dict[Key, list[Pairs]] = collections.defaultdict(list)  # of each process
        self.others: dict[str, dict[str, list]] = collections.defaultdict(lambda: collections.defaultdict(list))
        self.measured: set[tuple[str, str, str]] = set()  # commit, date, machine
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                if "runtime" not in record:
                    raise SystemExit(f"{path} was written by another version: move it away, and measure again")
                self._take(record)

    def _take(self, record: dict) -> None:
        self.measured.add(tuple(record.get(key, "unknown") for key in ("commit", "date", "machine")))
        if "pairs" in record:
            key = Key(record["runtime"], record["place"], record["workload"], record["profiler"])
            self.groups[key].append(record["pairs"])
        else:
            self.others[record["what"]][record["runtime"]].append(record["values"])

    def _add(self, record: dict) -> None:
        record = record | provenance.here()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        self._take(record)

    def add_pairs(self, key: Key, pairs: Pairs) -> None:
        """Of one process."""
        self._add(key._asdict() | {"pairs": pairs})

    def add(self, what: str, runtime: str, values: object) -> None:
        """A figure that is no pair of times: `others[what][runtime]` has all of them."""
        self._add({"what": what, "runtime": runtime, "values": values})

    def ratio(self, key: Key, clock: str = "cpu") -> Ratio | None:
        groups = [group[clock] for group in self.groups.get(key, ())]
        return ratio_of(groups) if len(groups) >= 2 else None

    def is_precise(self, key: Key, precision: float) -> bool:
        ratio = self.ratio(key)
        return ratio is not None and ratio.half_width <= precision and len(self.groups[key]) >= LEAST_PROCESSES


def add_options(parser: argparse.ArgumentParser, results: Path) -> None:
    """What every measuring of pairs takes; `results` is its own file."""
    parser.add_argument("--minutes", type=float, default=20, help="most for a workload and profiler (default: 20)")
    parser.add_argument(
        "--precision", type=float, default=0.005, help="half of the interval, where it may stop (default: 0.005)"
    )
    parser.add_argument("--results", type=Path, default=results, help=f"default: {os.path.relpath(results)}")
    parser.add_argument("--table", action="store_true", help="only print what has been measured")


def measure(results: Results, key: Key, pairs: Callable[[], Pairs], precision: float, minutes: float) -> None:
    """Adds the pairs of one process after another until half of the interval is `precision`, or the time is up."""
    deadline = time.monotonic() + 60 * minutes
    while not results.is_precise(key, precision):
        results.add_pairs(key, pairs())
        where = f"{key.place}, {key.workload}, {key.profiler}"
        print(f"  {where}: {results.ratio(key) or '…'}", file=sys.stderr, flush=True)
        if time.monotonic() > deadline:
            return


MET, MISSED, OPEN = "met", "**missed**", "open"


def judged(ratio: Ratio | None, bound: float | None) -> str:
    if ratio is None:
        return "not measured"
    if bound is None:
        return str(ratio)
    if ratio.high <= bound:
        return f"{ratio} ≤ {bound}: {MET}"
    if ratio.low > bound:
        return f"{ratio} > {bound}: {MISSED}"
    return f"{ratio} around {bound}: {OPEN}"


def markdown(head: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """The lines of a table."""
    head = list(head)
    lines = [" | ".join(head), "|".join(["---"] * len(head)), *(" | ".join(row) for row in rows)]
    return [f"| {lines[0]} |", f"|{lines[1]}|", *(f"| {line} |" for line in lines[2:])]
