"""What profilers cost: CPU time against bare runs of the same work, paired and interleaved, with 95 % intervals.

    integration/bench.sh cost                                   every workload and profiler
    integration/bench.sh cost --workload pandas --minutes 5     one workload, at most five minutes for each profiler
    integration/bench.sh cost --spark                           inside a real Spark worker
    integration/bench.sh cost --table                           only prints what has been measured so far

Pairs are gathered from one process after another, until the interval is within --precision or the time is up. All are
kept in --results and added to by the next call, so a run that was interrupted goes on where it ended. Nothing else
should run meanwhile.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib.util
import itertools
import platform
import random
import shlex
import statistics
import subprocess
import sys

from profilers import PROFILERS, WHOLE_PROCESS
from ratios import Ratio
from results import FOLDER, Key, Pairs, Results, add_options, judged, markdown, measure
from server import HERE, Server, both, pairs_of
from workloads import BOUNDS, WORKLOADS

DEFAULT_RESULTS = FOLDER / "results.jsonl"
OWN = "sparkmemprof"
EXACT, EXACT_RIVAL = "sparkmemprof, exact", "memray, Python allocators"
START = "start of a worker"
PLACES = {"plain": "", "Spark worker": " --spark"}  # what is measured where, and the option for it
PYTHONS = {"CPython 3.11": "", "CPython 3.13": " --python python3.13"}  # likewise
PAIRS_A_PROCESS, RIVALS_PAIRS = 12, 2  # some rivals take a hundred times as long as the bare unit
MIB = 1 << 20


def pairs_of_one_process(spark: bool, workload: str, profiler: str) -> Pairs:
    """Pairs (profiled, bare). In Spark bare tasks have their own application: there the profiler comes by conf.

    Beside a profiler of whole processes, bare units have a process of their own.
    """
    with contextlib.ExitStack() as started:
        if spark:
            names = {"profiled": profiler, "bare": "bare"}
            servers = {
                how: started.enter_context(Server("spark_unit.py", workload, name, waits_for_ready=True))
                for how, name in names.items()
            }
        elif profiler in WHOLE_PROCESS:
            before = {"profiled": WHOLE_PROCESS[profiler], "bare": ()}
            servers = {
                how: started.enter_context(Server("unit.py", workload, profiler, before=words))
                for how, words in before.items()
            }
        else:
            servers = both(started.enter_context(Server("unit.py", workload, profiler)))
        return pairs_of(servers, PAIRS_A_PROCESS if profiler == OWN else RIVALS_PAIRS)


def never_in_spark(profiler: str) -> str:
    """Why; empty if it can be measured there."""
    return "it profiles a process from its start, and a Spark worker is forked" if profiler in WHOLE_PROCESS else ""


def why_not(profiler: str, spark: bool) -> str:
    """Why it can't be measured; empty if it can."""
    if profiler not in WHOLE_PROCESS:
        return ""
    if spark:
        return never_in_spark(profiler)
    module = WHOLE_PROCESS[profiler][1]
    return "" if importlib.util.find_spec(module) else f"there is no {module} for this Python"


def measure_start(results: Results, runtime: str, rounds: int) -> None:
    for _ in range(len(results.others[START][runtime]), rounds):
        start = {}
        for profiler in random.sample([OWN, "bare"], 2):
            command = [sys.executable, str(HERE / "unit.py"), "--start", profiler]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            start[profiler] = [float(word) for word in printed.split()]
        results.add(START, runtime, start)


def beside_the_rival(exact: Ratio | None, rival: Ratio | None) -> str:
    """Our exact mode should cost less than memray where both see every allocation of Python's."""
    if exact is None or rival is None:
        return ""
    if exact.high <= rival.low:
        return ", below memray's: met"
    return ", above memray's: **missed**" if exact.low > rival.high else ", about memray's: open"


def tables_wanted(results: Results) -> list[tuple[str, str]]:
    """Runtimes and places: those that were measured, and those of PYTHONS and PLACES that were not."""
    wanted = {key[:2] for key in results.groups}
    for python, place in itertools.product(PYTHONS, PLACES):
        if not any(runtime.startswith(python) and place == at for runtime, at in wanted):
            wanted.add((python, place))
    return sorted(wanted, key=lambda each: (python_of(each[0]), list(PLACES).index(each[1]), each[0]))


def python_of(runtime: str) -> str:
    """The one of PYTHONS that it is, or itself."""
    return next((python for python in PYTHONS if runtime.startswith(python)), runtime)


def commands_for(runtime: str, place: str, missing: dict[str, list[str]]) -> list[str]:
    """What measures the workloads that are missing, by profiler: one line for all that lack the same."""
    version = ".".join(runtime.removeprefix("CPython ").split(".")[:2])
    python = PYTHONS.get(python_of(runtime), f" --python python{version}")
    alike: dict[tuple[str, ...], list[str]] = {}
    for profiler, workloads in missing.items():
        if workloads:
            alike.setdefault(tuple(workloads), []).append(profiler)
    lines = []
    for workloads, profilers in alike.items():
        words = "" if len(workloads) == len(WORKLOADS) else "".join(f" --workload {each}" for each in workloads)
        if len(profilers) < len(missing):
            words += "".join(f" --profiler {shlex.quote(each)}" for each in profilers)
        lines.append(
            f"- not measured ({', '.join(profilers)}): `integration/bench.sh{python} cost{PLACES[place]}{words}`"
        )
    return lines


def tables(results: Results) -> str:
    """Markdown."""
    lines: list[str] = []
    for runtime, place in tables_wanted(results):
        rows = []
        never = {each: never_in_spark(each) if place == "Spark worker" else "" for each in PROFILERS}
        missing: dict[str, list[str]] = {each: [] for each, reason in never.items() if not reason}
        for workload in WORKLOADS:
            ratios = {profiler: results.ratio(Key(runtime, place, workload, profiler)) for profiler in PROFILERS}
            for profiler in missing:
                missing[profiler] += [workload] if ratios[profiler] is None else []
            cells = [judged(ratio, BOUNDS.get(workload) if name == OWN else None) for name, ratio in ratios.items()]
            cells[list(ratios).index(EXACT)] += beside_the_rival(ratios[EXACT], ratios[EXACT_RIVAL])
            cells = ["not possible" if never[name] else cell for name, cell in zip(ratios, cells)]
            rows.append([workload, *cells, str(results.ratio(Key(runtime, place, workload, OWN), "wall") or "")])
        lines += ["", f"{runtime}, {place}: CPU time against bare, 95 % interval", ""]
        lines += markdown(["workload", *PROFILERS, "wall, sparkmemprof"], rows)
        notes = commands_for(runtime, place, missing)
        notes += [f"- not possible ({profiler}): {reason}" for profiler, reason in never.items() if reason]
        lines += ["", *notes] if notes else []
    for runtime, starts in sorted((runtime, starts) for runtime, starts in results.others[START].items() if starts):
        middles = {
            name: [statistics.median(start[name][i] for start in starts) for i in range(4)] for name in (OWN, "bare")
        }
        cpu, wall, resident, virtual = (own - bare for own, bare in zip(middles[OWN], middles["bare"]))
        lines += [
            "",
            f"{runtime}, {START}, medians of {len(starts)}: {1000 * wall:+.1f} ms (bound 10; "
            f"{1000 * cpu:+.1f} ms CPU), {resident / MIB:+.1f} MiB resident (bound 8), "
            f"{virtual / MIB:+.1f} MiB virtual (bound 16)",
        ]
    for python, option in PYTHONS.items():
        if not any(starts for runtime, starts in results.others[START].items() if runtime.startswith(python)):
            lines += ["", f"{python}, {START}: not measured: `integration/bench.sh{option} cost`"]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="integration/bench.sh cost", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workload", action="append", choices=WORKLOADS, help="default: all")
    parser.add_argument("--profiler", action="append", choices=PROFILERS, help="default: all")
    parser.add_argument("--spark", action="store_true", help="inside a real Spark worker")
    parser.add_argument(
        "--starts", type=int, default=15, help="processes started to measure what starting costs (default: 15)"
    )
    add_options(parser, DEFAULT_RESULTS)
    options = parser.parse_args()
    reasons = {profiler: why_not(profiler, options.spark) for profiler in options.profiler or PROFILERS}
    left_out = [f"{profiler} is left out: {reason}" for profiler, reason in reasons.items() if reason]
    if left_out and options.profiler:
        parser.error("; ".join(left_out))
    results = Results(options.results)
    if not options.table:
        print(*left_out, sep="\n", end="\n" * bool(left_out), file=sys.stderr)
        place = "Spark worker" if options.spark else "plain"
        runtime = f"CPython {platform.python_version()}"
        for workload in options.workload or WORKLOADS:
            for profiler in (each for each, reason in reasons.items() if not reason):
                # The rivals' costs are tens of per cent: they need no tenth of one.
                precision = options.precision if profiler == OWN else max(options.precision, 0.05)
                pairs = functools.partial(pairs_of_one_process, options.spark, workload, profiler)
                measure(results, Key(runtime, place, workload, profiler), pairs, precision, options.minutes)
        if not options.spark:
            measure_start(results, runtime, options.starts)
    print(tables(results))


if __name__ == "__main__":
    main()
