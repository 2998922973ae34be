"""How right a line's bytes are: hundreds of runs of a program with known lines, against the truth and memray.

    integration/bench.sh accuracy [--runs 200] [--jobs 2]

Each run is `sparkmemprof run` of a process of its own. One line keeps 256 MB of small blocks, which are sampled; one
takes 40 blocks of at least four intervals, which are counted. A report's error is two standard deviations
(`errorBytes`), so 95 % of runs should lie within it: at least 93 %; and the mean within three standard errors of the
truth, and within 1 %.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import math
import platform
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import provenance

RESULTS = provenance.ROOT / "build/bench/accuracy.json"
BLOCK = 1_499  # bytes that malloc is asked for: larger than pymalloc's, much smaller than the interval
COUNT = 171_000
SAMPLED = BLOCK * COUNT
LARGE = tuple(range(262_147, 262_147 + 40 * 2_003, 2_003))  # from four intervals of 64 KiB on
COUNTED = sum(LARGE)

PROGRAM = f"""\
import sys
empty = sys.getsizeof(b"")
filling = {BLOCK} - empty
small = [None] * {COUNT}
for i in range({COUNT}):
    small[i] = b"x" * filling
fillings = [size - empty for size in {LARGE!r}]
large = [None] * len(fillings)
for i, filling in enumerate(fillings):
    large[i] = b"x" * filling
"""
SMALL_LINE, LARGE_LINE = 6, 10


@dataclass(frozen=True)
class Run:
    sampled: int
    error: int
    counted: int


def sampled_run(folder: Path) -> Run:
    program = folder / "known.py"
    program.write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, "-m", "sparkmemprof.cli.main", "run", "--report-dir", str(folder / "out"), str(program)]
    subprocess.run(command, check=True, capture_output=True)
    (path,) = folder.glob("out/*/report.json")
    (stage,) = json.loads(path.read_text(encoding="utf-8"))["stages"]
    lines = {line["line"]: line for line in stage["lines"] if line["file"] == str(program)}
    small, large = lines[SMALL_LINE], lines[LARGE_LINE]
    return Run(small["liveAtPeakBytes"], small["errorBytes"], large["liveAtPeakBytes"])


def one_run(number: int) -> Run:
    with tempfile.TemporaryDirectory(prefix=f"accuracy-{number}-") as folder:
        return sampled_run(Path(folder))


def memrays(folder: Path) -> tuple[int, int] | None:
    """memray's bytes for the two lines; None without memray."""
    try:
        from memray import FileReader
    except ImportError:
        return None
    program, records = folder / "known.py", folder / "memray.bin"
    program.write_text(PROGRAM, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "memray", "run", "-q", "-o", str(records), str(program)], check=True, capture_output=True
    )
    found = {SMALL_LINE: 0, LARGE_LINE: 0}
    for record in FileReader(str(records)).get_high_watermark_allocation_records(merge_threads=True):
        stack = record.stack_trace(1)
        if stack and stack[0][1] == str(program) and stack[0][2] in found:
            found[stack[0][2]] += record.size
    return found[SMALL_LINE], found[LARGE_LINE]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="integration/bench.sh accuracy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time (default: 2)")
    options = parser.parse_args()
    runs = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for run in pool.map(one_run, range(options.runs)):
            runs.append(run)
            if len(runs) % 20 == 0:
                print(f"  {len(runs)} of {options.runs} runs", file=sys.stderr, flush=True)

    errors = [run.sampled - SAMPLED for run in runs]
    inside = sum(abs(error) <= run.error for error, run in zip(errors, runs)) / len(runs)
    mean, standard_error = statistics.fmean(errors), statistics.stdev(errors) / math.sqrt(len(runs))
    worst = max(abs(error) for error in errors) / SAMPLED
    wrong = sum(run.counted != COUNTED for run in runs)
    checks = {
        f"blocks of at least 4 intervals: {wrong} of {len(runs)} runs differ from {COUNTED:,} bytes (wanted: 0)": wrong
        == 0,
        f"{SAMPLED:,} bytes in blocks of {BLOCK:,}: worst run off by {worst:.2%} (wanted: 5 % at most)": worst <= 0.05,
        f"within the printed error: {inside:.1%} of runs (wanted: 93 % at least)": inside >= 0.93,
        f"mean off by {mean / SAMPLED:+.3%} (wanted: 1 % at most)": abs(mean) <= 0.01 * SAMPLED,
        f"mean off by {mean / standard_error:+.2f} standard errors (wanted: 3 at most)": abs(mean)
        <= 3 * standard_error,
    }
    said = [f"{'ok' if held else 'FAILED'}: {text}" for text, held in checks.items()]
    with tempfile.TemporaryDirectory(prefix="accuracy-memray-") as folder:
        rival = memrays(Path(folder))
    if rival is None:
        said.append("memray isn't installed: not compared")
    else:
        small, large = rival[0] / SAMPLED - 1, rival[1] / COUNTED - 1
        said.append(f"memray, one run: {small:+.3%} on the small blocks, {large:+.3%} on the large ones")
    print("\n".join(said))
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    record = {"python": platform.python_version(), "runs": options.runs, "said": said} | provenance.here()
    RESULTS.write_text(json.dumps(record), encoding="utf-8")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
