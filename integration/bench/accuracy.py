"""How right a line's bytes are: two thousand tasks in one process, whose lines allocate a known number of bytes.

    integration/bench.sh accuracy [--tasks 2000]

Each task is a session of a worker's hooks, at the default interval of 64 KiB, and keeps 100 MB in blocks of each size
until it ends. What the black box then says of each line is held against the truth: bytes allocated, and bytes live at
the task's peak. The error that a report gives is two of the box's standard deviations: 93 to 97 % of the tasks should
lie within it. Blocks of at least four intervals are counted, not sampled, so their bytes are exact.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import math
import platform
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import provenance

RESULTS = provenance.ROOT / "build/bench/accuracy.json"
APPLICATION = "accuracy"
INTERVAL = 64 << 10
COUNTS = {24: 4_200_000, 512: 200_000, 4096: 25_000, 64 << 10: 1_600, 1 << 20: 100}
"""Blocks a task allocates, by size; at least 100 MB of each."""

MOST_BIAS = 0.01
LEAST_INSIDE, MOST_INSIDE = 0.93, 0.97

_OF_FLOATS = """\
def blocks_24(kept):
    half = 0.5
    for i in range(len(kept)):
        kept[i] = half * i
"""
_OF_BYTES = """\
def blocks_{size}(kept):
    filling = {size} - {head}
    for i in range(len(kept)):
        kept[i] = b"x" * filling
"""
_LINES_OF_EACH = 4
HEAD = sys.getsizeof(b"")


def program() -> str:
    """One function for each size; its last line allocates. A float has 24 bytes, and bytes a head before them."""
    return _OF_FLOATS + "".join(_OF_BYTES.format(size=size, head=HEAD) for size in COUNTS if size != 24)


SIZE_OF_LINE = {_LINES_OF_EACH * (number + 1): size for number, size in enumerate(COUNTS)}


@dataclass
class Figure:
    """One figure of one size: how far each task's bytes are off, and how many errors were within what is given."""

    errors: list[float] = field(default_factory=list)
    inside: int = 0

    def add(self, told: float, truth: int, variance: float) -> None:
        self.errors.append(told - truth)
        self.inside += abs(told - truth) <= 2 * math.sqrt(variance)

    def bias(self, truth: int) -> tuple[float, float]:
        """The mean as a share of the truth, and twice its standard error."""
        mean, tasks = statistics.fmean(self.errors), len(self.errors)
        return mean / truth, 2 * statistics.stdev(self.errors) / math.sqrt(tasks) / truth


def box_reader() -> ModuleType:
    places = list((provenance.ROOT / "build/release/tests/native").glob("_box_reader.*.so"))
    spec = importlib.util.spec_from_file_location("_box_reader", places[0]) if places else None
    if spec is None or spec.loader is None:
        raise SystemExit("the tests' _box_reader is not built: run integration/bench.sh accuracy")
    reader = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(reader)
    except ImportError as error:
        raise SystemExit(f"boxes are read by the tests' _box_reader, which is CPython 3.11's: {error}") from error
    return reader


def lines_of(session: dict[str, Any], path: str) -> dict[int, list[float]]:
    """By size: bytes allocated, their variance, bytes live at the peak, their variance."""
    found = {size: [0.0] * 4 for size in COUNTS}
    for site in session["sites"]:
        python = [frame for frame in site["frames"] if frame["language"] == "python"]
        if not python or python[-1]["file"] != path or python[-1]["line"] not in SIZE_OF_LINE:
            continue
        figures = (site["allocated"], site["variance"], site["live_at_peak"], site["peak_variance"])
        sums = found[SIZE_OF_LINE[python[-1]["line"]]]
        sums[:] = [sum(pair) for pair in zip(sums, figures)]
    return found


def measure(folder: Path, tasks: int) -> tuple[dict[int, Figure], dict[int, Figure]]:
    from sparkmemprof import _hooks as hooks

    reader = box_reader()
    path = str(folder / "known.py")
    scope: dict[str, Any] = {}
    exec(compile(program(), path, "exec"), scope)
    kept = {size: [None] * count for size, count in COUNTS.items()}
    allocated = {size: Figure() for size in COUNTS}
    at_peak = {size: Figure() for size in COUNTS}
    hooks.start(str(folder), APPLICATION, "1", INTERVAL)
    for task in range(tasks):
        hooks.open_session()
        hooks.set_task(task, 0, 0, 0, 0)
        for size in COUNTS:
            scope[f"blocks_{size}"](kept[size])
        hooks.close_session()
        for size, count in COUNTS.items():
            kept[size].clear()
            kept[size].extend(itertools.repeat(None, count))
        (session,) = [s for s in reader.read_box(hooks.box_path())["sessions"] if s["task_attempt_id"] == task]
        reader.acknowledge(hooks.box_path(), session["number"])
        for size, figures in lines_of(session, path).items():
            truth = size * COUNTS[size]
            allocated[size].add(figures[0], truth, figures[1])
            at_peak[size].add(figures[2], truth, figures[3])
        if (task + 1) % 50 == 0:
            print(f"  {task + 1} of {tasks} tasks", file=sys.stderr, flush=True)
    bounds = {
        name: value for name, value in hooks.counters().items() if name.startswith(("dropped", "evicted", "intervalD"))
    }
    hooks.stop()
    if any(bounds.values()):
        raise SystemExit(f"a bound was reached, so these figures say nothing of the sampling: {bounds}")
    return allocated, at_peak


def memrays(folder: Path) -> dict[int, float] | None:
    """How far memray's bytes are off, in one run of the same lines, with Python's allocators; None without memray."""
    try:
        from memray import FileReader
    except ImportError:
        return None
    path, records = folder / "rival.py", folder / "memray.bin"
    calls = "".join(f"k{size} = [None] * {count}\nblocks_{size}(k{size})\n" for size, count in COUNTS.items())
    path.write_text(program() + calls, encoding="utf-8")
    command = [sys.executable, "-m", "memray", "run", "-q", "--trace-python-allocators", "-o", str(records), str(path)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        print(f"memray is not compared: {error}\n{error.stderr[-1000:]}", file=sys.stderr)
        return None
    found = dict.fromkeys(COUNTS, 0)
    for record in FileReader(str(records)).get_high_watermark_allocation_records(merge_threads=True):
        stack = record.stack_trace(1)
        if stack and stack[0][1] == str(path) and stack[0][2] in SIZE_OF_LINE:
            found[SIZE_OF_LINE[stack[0][2]]] += record.size
    return {size: found[size] / (size * count) - 1 for size, count in COUNTS.items()}


def share_within(inside: int, tasks: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson's)."""
    z, share = 1.96, inside / tasks
    middle = (share + z * z / (2 * tasks)) / (1 + z * z / tasks)
    half = z * math.sqrt(share * (1 - share) / tasks + z * z / (4 * tasks * tasks)) / (1 + z * z / tasks)
    return middle - half, middle + half


def verdict(size: int, figure: Figure, tasks: int) -> str:
    """*met* or *missed* only where the whole intervals say so."""
    if size >= 4 * INTERVAL:
        wrong = sum(error != 0 for error in figure.errors)
        return "exact in every task: met" if wrong == 0 else f"wrong in {wrong} tasks: **missed**"
    bias, error = figure.bias(size * COUNTS[size])
    low, high = share_within(figure.inside, tasks)
    if abs(bias) + error <= MOST_BIAS and low >= LEAST_INSIDE and high <= MOST_INSIDE:
        judged = "met"
    elif abs(bias) - error > MOST_BIAS or high < LEAST_INSIDE or low > MOST_INSIDE:
        judged = "**missed**"
    else:
        judged = "open"
    inside = figure.inside / tasks
    return f"{bias:+.3%} ± {error:.3%}; {inside:.1%} [{low:.1%}, {high:.1%}] inside: {judged}"


def name_of(size: int) -> str:
    return f"{size} B" if size < 1024 else f"{size >> 10} KiB" if size < 1 << 20 else f"{size >> 20} MiB"


def table(allocated: dict[int, Figure], at_peak: dict[int, Figure], tasks: int, rival: dict[int, float] | None) -> str:
    rows = [
        "| blocks of | allocated | live at the peak | memray, Python allocators, one run |",
        "|---|---|---|---|",
    ]
    for size in COUNTS:
        figures = [verdict(size, figure[size], tasks) for figure in (allocated, at_peak)]
        rows.append(
            f"| {name_of(size)} | {' | '.join(figures)} | {f'{rival[size]:+.3%}' if rival else 'not measured'} |"
        )
    return "\n".join(rows)


HOW = """\
Tasks in one process, each with 100 MB in blocks of each size: how far a line's bytes in the black box are off on
average, twice the standard error of that, and how many tasks lie within two of the standard deviations that the box
gives, with the 95 % interval of that share. Wanted: 1 % at most, and 93 to 97 %; blocks of at least four intervals
exact. Of figures that are as they should be, one in ten is *open* by chance."""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="integration/bench.sh accuracy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--tasks",
        type=int,
        default=2000,
        help="default: 2000, half a second each; with less than 500 nothing can be met",
    )
    options = parser.parse_args()
    if options.tasks < 2:
        parser.error(f"--tasks is at least 2, not {options.tasks}")
    measured = provenance.here()  # before the ten minutes in which the checkout may change
    with tempfile.TemporaryDirectory(prefix="accuracy-") as folder:
        allocated, at_peak = measure(Path(folder), options.tasks)
        said = table(allocated, at_peak, options.tasks, memrays(Path(folder)))
    print(said)
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    record = {"python": platform.python_version(), "tasks": options.tasks, "table": said} | measured
    RESULTS.write_text(json.dumps(record), encoding="utf-8")
    return 1 if "missed" in said else 0


if __name__ == "__main__":
    sys.exit(main())
