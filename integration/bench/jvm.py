"""What profilers cost the JVM: CPU time of Spark jobs against bare runs, in turn in one warm JVM, with 95 % intervals.

    integration/bench.sh jvm                                  every job; rivals where --async-profiler is given
    integration/bench.sh jvm --workload SQL --minutes 5       one job, at most five minutes for each profiler
    integration/bench.sh jvm --table                          only prints what has been measured so far

sparkmemprof runs as by default: heap with what survives collections, off-heap memory, malloc of native libraries; in
pandas_udf also the Python worker. --async-profiler names the build folder of async-profiler, which `make` in its
sources gives. Pairs are gathered from one JVM after another, and kept, as by `cost`.
"""

from __future__ import annotations

import argparse
import functools
import os
import random
import statistics
import subprocess
import sys
from pathlib import Path

from jvm_unit import ASYNC_EVENTS, OWN, PROFILERS
from jvm_workloads import BOUND, WORKLOADS
from results import FOLDER, Key, Pairs, Results, judged, markdown, measure

HERE = Path(__file__).resolve().parent
DEFAULT_RESULTS = FOLDER / "jvm.jsonl"
PLACE = "local[2]"
MEMORY = "resident memory of a JVM"
MEMORY_BOUND_MIB = 24
HOW = """\
Applications with and without a profiler, in turn in one warm JVM. CPU time is that of the JVM with its compiler and
collector, and of its Python workers. sparkmemprof has everything on that is on by default; what its agent has bound
or redirected stays so in an application without it, and passes on at once. async-profiler has the same interval,
512 KiB."""
WARM_UP, PAIRS_A_PROCESS, RIVALS_PAIRS = 3, 10, 4
MIB = 1 << 20


class Server:
    """A jvm_unit.py that waits for its next unit."""

    def __init__(self, workload: str, profiler: str, library: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "jvm_unit.py"), workload, profiler, *([library] if library else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        self.java = self._line().split()[1]

    def _line(self) -> str:
        while True:
            line = self._process.stdout.readline()
            if not line:
                raise SystemExit(f"{self._process.args[1:]} ended with status {self._process.wait()}")
            if not line.startswith("["):  # async-profiler's own words
                return line

    def run(self, how: str) -> list[float]:
        self._process.stdin.write(how + "\n")
        self._process.stdin.flush()
        return [float(word) for word in self._line().split()]

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait()


def java_version(library: str) -> str:
    with Server(next(iter(WORKLOADS)), OWN, library) as server:
        return f"JDK {server.java}"


def pairs_of_one_jvm(workload: str, profiler: str, library: str) -> Pairs:
    found: Pairs = {"cpu": [], "wall": []}
    with Server(workload, profiler, library) as server:
        for number in range(WARM_UP + (PAIRS_A_PROCESS if profiler == OWN else RIVALS_PAIRS)):
            times = {how: server.run(how) for how in random.sample(["profiled", "bare"], 2)}
            if number < WARM_UP:  # methods are still being compiled
                continue
            for i, clock in enumerate(("cpu", "wall")):
                found[clock].append([times["profiled"][i], times["bare"][i]])
    return found


def resident(profiled: bool, library: str) -> float:
    """The JVM's resident bytes after five applications."""
    with Server("SQL", OWN, library) as server:
        return [server.run("profiled" if profiled else "bare")[2] for _ in range(5)][-1]


def measure_memory(results: Results, runtime: str, library: str, rounds: int) -> None:
    for _ in range(len(results.others[MEMORY][runtime]), rounds):
        values = {how: resident(how == OWN, library) for how in random.sample([OWN, "bare"], 2)}
        results.add(MEMORY, runtime, values)
        print(f"  {MEMORY}: {(values[OWN] - values['bare']) / MIB:+.1f} MiB", file=sys.stderr, flush=True)


def tables(results: Results) -> str:
    """Markdown."""
    lines: list[str] = []
    for runtime in sorted({key.runtime for key in results.groups}):
        rows = []
        for workload in WORKLOADS:
            ratios = {name: results.ratio(Key(runtime, PLACE, workload, name)) for name in PROFILERS}
            if any(ratios.values()):
                cells = [judged(ratio, BOUND if name == OWN else None) for name, ratio in ratios.items()]
                rows.append([workload, *cells, str(results.ratio(Key(runtime, PLACE, workload, OWN), "wall") or "")])
        lines += ["", f"{runtime}, {PLACE}: CPU time against bare, 95 % interval", ""]
        lines += markdown(["job", *PROFILERS, "wall, sparkmemprof"], rows)
    for runtime, pairs in sorted(results.others[MEMORY].items()):
        more = sorted((pair[OWN] - pair["bare"]) / MIB for pair in pairs)
        lines += [
            "",
            f"{runtime}, {MEMORY}, {len(more)} pairs: {statistics.median(more):+.1f} MiB in the middle "
            f"({more[0]:+.1f} to {more[-1]:+.1f}; bound {MEMORY_BOUND_MIB})",
        ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="integration/bench.sh jvm", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workload", action="append", choices=WORKLOADS, help="default: all")
    parser.add_argument("--profiler", action="append", choices=PROFILERS, help="default: all that are here")
    parser.add_argument(
        "--async-profiler", metavar="DIR", help="has lib/libasyncProfiler.so and jar/async-profiler.jar"
    )
    parser.add_argument("--minutes", type=float, default=20, help="most for a job and profiler (default: 20)")
    parser.add_argument(
        "--precision", type=float, default=0.005, help="half of the interval, where it may stop (default: 0.005)"
    )
    parser.add_argument("--memory", type=int, default=9, help="pairs of JVMs for the resident memory (default: 9)")
    parser.add_argument(
        "--results", type=Path, default=DEFAULT_RESULTS, help=f"default: {os.path.relpath(DEFAULT_RESULTS)}"
    )
    parser.add_argument("--table", action="store_true", help="only print what has been measured")
    options = parser.parse_args()
    library = str(Path(options.async_profiler).resolve()) if options.async_profiler else ""
    missing = [
        name for name in ("lib/libasyncProfiler.so", "jar/async-profiler.jar") if not Path(library, name).exists()
    ]
    rivals = [name for name in options.profiler or PROFILERS if name in ASYNC_EVENTS]
    if missing and (library or (options.profiler and rivals)):
        parser.error(f"--async-profiler {options.async_profiler or 'DIR'} has no {' and no '.join(missing)}")
    results = Results(options.results)
    if not options.table:
        runtime = java_version(library)
        for workload in options.workload or WORKLOADS:
            for profiler in options.profiler or PROFILERS:
                if profiler in ASYNC_EVENTS and not library:
                    continue
                precision = options.precision if profiler == OWN else max(options.precision, 0.02)
                pairs = functools.partial(pairs_of_one_jvm, workload, profiler, library)
                measure(results, Key(runtime, PLACE, workload, profiler), pairs, precision, options.minutes)
        measure_memory(results, runtime, library, options.memory)
    print(tables(results))


if __name__ == "__main__":
    main()
