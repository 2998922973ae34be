"""What profilers cost the JVM: CPU time of Spark jobs against bare runs, in turn in one warm JVM, with 95 % intervals.

    integration/bench.sh jvm                                  every job; rivals where --async-profiler is given
    integration/bench.sh jvm --workload SQL --minutes 5       one job, at most five minutes for each profiler
    integration/bench.sh jvm --table                          only prints what has been measured so far

sparkmemprof runs as by default: heap with what survives collections, off-heap memory, malloc of native libraries; in
the jobs with UDFs also the Python workers. --async-profiler names the build folder of async-profiler, which `make` in
its sources gives. Pairs are gathered from one JVM after another, and kept, as by `cost`.
"""

from __future__ import annotations

import argparse
import functools
import random
import statistics
import sys

from jvm_unit import ASYNC_EVENTS, OWN, PROFILERS, add_async_profiler, async_profiler
from jvm_workloads import WORKLOADS
from results import FOLDER, Key, Pairs, Results, add_options, judged, markdown, measure
from server import Server, both, pairs_of

DEFAULT_RESULTS = FOLDER / "jvm.jsonl"
PLACE = "local[2]"
MEMORY = "resident memory of a JVM"
MEMORY_BOUND_MIB = 24
HOW = """\
Applications with and without a profiler, in turn in one warm JVM. Of each a job is measured that has run once before,
not its start and end. CPU time is that of the JVM with its compiler and collector, and of its Python workers.
sparkmemprof has everything on that is on by default; what its agent has bound or redirected stays so in an application
without it, and passes on at once. "driver" is the driver's JVM alone, with two executors, which are profiled, too, and
feed its report. async-profiler has the same interval, 512 KiB."""
WARM_UP, PAIRS_A_PROCESS, RIVALS_PAIRS = 2, 8, 4  # at first methods are still being compiled
MIB = 1 << 20


def server(workload: str, profiler: str, library: str) -> Server:
    """A JVM that runs units. `library`: async-profiler's folder; our own figures are of JVMs without it."""
    more = [library] if profiler in ASYNC_EVENTS else []
    return Server("jvm_unit.py", workload, profiler, *more, waits_for_ready=True)


def java_version() -> str:
    with server(next(iter(WORKLOADS)), OWN, "") as jvm:
        return f"JDK {jvm.started[0]}"


def pairs_of_one_jvm(workload: str, profiler: str, library: str) -> Pairs:
    with server(workload, profiler, library) as jvm:
        return pairs_of(both(jvm), PAIRS_A_PROCESS if profiler == OWN else RIVALS_PAIRS, WARM_UP)


def resident(profiled: bool) -> float:
    """The JVM's resident bytes after five applications."""
    with server("SQL", OWN, "") as jvm:
        return [jvm.run("profiled" if profiled else "bare")[2] for _ in range(5)][-1]


def measure_memory(results: Results, runtime: str, rounds: int) -> None:
    for _ in range(len(results.others[MEMORY][runtime]), rounds):
        values = {how: resident(how == OWN) for how in random.sample([OWN, "bare"], 2)}
        results.add(MEMORY, runtime, values)
        print(f"  {MEMORY}: {(values[OWN] - values['bare']) / MIB:+.1f} MiB", file=sys.stderr, flush=True)


def tables(results: Results) -> str:
    """Markdown."""
    lines: list[str] = []
    for runtime in sorted({key.runtime for key in results.groups}):
        rows = []
        for workload, job in WORKLOADS.items():
            ratios = {name: results.ratio(Key(runtime, PLACE, workload, name)) for name in PROFILERS}
            cells = [judged(ratio, job.bound if name == OWN else None) for name, ratio in ratios.items()]
            rows.append([workload, *cells, str(results.ratio(Key(runtime, PLACE, workload, OWN), "wall") or "")])
        lines += ["", f"{runtime}, {PLACE}: CPU time against bare, 95 % interval", ""]
        lines += markdown(["job", *PROFILERS, "wall, sparkmemprof"], rows)
    for runtime, pairs in sorted(results.others[MEMORY].items()):
        if not pairs:
            continue
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
    add_async_profiler(parser)
    parser.add_argument(
        "--memory", type=int, help="pairs of JVMs for the resident memory (default: 9; 0 with --workload or --profiler)"
    )
    add_options(parser, DEFAULT_RESULTS)
    options = parser.parse_args()
    library = async_profiler(parser, options.async_profiler)
    if not library and set(options.profiler or ()) & set(ASYNC_EVENTS):
        parser.error("this profiler needs --async-profiler DIR")
    results = Results(options.results)
    if not options.table:
        runtime = java_version()
        for workload in options.workload or WORKLOADS:
            for profiler in options.profiler or PROFILERS:
                if profiler in ASYNC_EVENTS and not library:
                    continue
                precision = options.precision if profiler == OWN else max(options.precision, 0.02)
                pairs = functools.partial(pairs_of_one_jvm, workload, profiler, library)
                measure(results, Key(runtime, PLACE, workload, profiler), pairs, precision, options.minutes)
        rounds = options.memory if options.memory is not None else 0 if options.workload or options.profiler else 9
        measure_memory(results, runtime, rounds)
    print(tables(results))


if __name__ == "__main__":
    main()
