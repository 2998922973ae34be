"""Writes docs/benchmarks.md from what was measured so far by `cost`, `jvm`, `accuracy` and `jvm-accuracy`.

integration/bench.sh publish
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import accuracy
import cost
import jvm
import jvm_accuracy
import provenance
from results import Results

HEAD = """\
# Benchmarks

Made by `integration/bench.sh publish`; not edited by hand. A cost is a ratio of CPU times: the same work profiled and
bare, in turn, in one process, with its 95 % interval (Student's t over processes). Inside Spark workers, and where a
profiler takes a whole process (Scalene, Fil), they are two processes. A bound is *met* where the whole interval is
below it, *missed* where all of it is above, and else *open*. What was not measured says so.
"""


def measured_at(measured: set[tuple[str, str, str]]) -> str:
    return "\n".join(f"Measured at {commit}, {date}: {machine}." for commit, date, machine in sorted(measured))


def measured_of(record: dict) -> tuple[str, str, str]:
    return record["commit"], record["date"], record["machine"]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="integration/bench.sh publish", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=cost.DEFAULT_RESULTS, help="of `cost`")
    parser.add_argument("--jvm", type=Path, default=jvm.DEFAULT_RESULTS, help="of `jvm`")
    parser.add_argument("--jvm-accuracy", type=Path, default=jvm_accuracy.RESULTS, help="of `jvm-accuracy`")
    parser.add_argument("--accuracy", type=Path, default=accuracy.RESULTS, help="of `accuracy`")
    parser.add_argument("--page", type=Path, default=provenance.ROOT / "docs/benchmarks.md", help="what is written")
    options = parser.parse_args()
    results, of_jvms = Results(options.results), Results(options.jvm)
    if not (results.measured or of_jvms.measured or options.jvm_accuracy.exists() or options.accuracy.exists()):
        raise SystemExit(f"nothing was measured: {options.results} is missing or empty; run integration/bench.sh cost")
    parts = [HEAD]
    if results.measured:
        parts += ["## What profiling Python costs", "", measured_at(results.measured), cost.tables(results), ""]
    if of_jvms.measured:
        parts += ["## What profiling the JVM costs", "", jvm.HOW, "", measured_at(of_jvms.measured)]
        parts += [jvm.tables(of_jvms), ""]
    if options.jvm_accuracy.exists():
        record = json.loads(options.jvm_accuracy.read_text(encoding="utf-8"))
        parts += ["## How right the heap's bytes are", "", jvm_accuracy.HOW, "", measured_at({measured_of(record)})]
        parts += [f"{record['runtime']}, {record['runs']} applications:", "", jvm_accuracy.table(record), ""]
    if options.accuracy.exists():
        record = json.loads(options.accuracy.read_text(encoding="utf-8"))
        parts += [
            "## How right a line's bytes are",
            "",
            measured_at({measured_of(record)}),
            f"CPython {record['python']}, {record['runs']} processes:",
            "",
            *(f"- {finding}" for finding in record["said"]),
            "",
        ]
    parts.append(Path(__file__).with_name("notes.md").read_text(encoding="utf-8"))
    options.page.write_text("\n".join(parts), encoding="utf-8")
    print(options.page)


if __name__ == "__main__":
    main()
