"""Writes docs/benchmarks.md from what was measured so far by `cost`, `jvm`, `accuracy` and `jvm-accuracy`.

integration/bench.sh publish

A section of which nothing was measured here stays in the page as it is; the others are made anew of what build/bench
has, and are said.
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
TITLES = (
    "What profiling Python costs",
    "What profiling the JVM costs",
    "How right the heap's bytes are",
    "How right a line's bytes are",
)


def measured_at(measured: set[tuple[str, str, str]]) -> str:
    return "\n".join(f"Measured at {commit}, {date}: {machine}." for commit, date, machine in sorted(measured))


def measured_of(record: dict) -> tuple[str, str, str]:
    return record["commit"], record["date"], record["machine"]


def sections_of(page: Path) -> dict[str, str]:
    """What stands in the page so far, by title: what was measured then on another machine stays."""
    if not page.exists():
        return {}
    pieces = page.read_text(encoding="utf-8").split("\n## ")[1:]
    return {title: text.strip() for title, _, text in (piece.partition("\n") for piece in pieces)}


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
    before = sections_of(options.page)
    sections = dict(before)
    if results.measured:
        sections["What profiling Python costs"] = f"{measured_at(results.measured)}\n{cost.tables(results)}"
    if of_jvms.measured:
        sections["What profiling the JVM costs"] = (
            f"{jvm.HOW}\n\n{measured_at(of_jvms.measured)}\n{jvm.tables(of_jvms)}"
        )
    if options.jvm_accuracy.exists():
        record = json.loads(options.jvm_accuracy.read_text(encoding="utf-8"))
        measured = f"{measured_at({measured_of(record)})}\n{record['runtime']}, {record['runs']} applications:"
        sections["How right the heap's bytes are"] = f"{jvm_accuracy.HOW}\n\n{measured}\n\n{jvm_accuracy.table(record)}"
    if options.accuracy.exists():
        record = json.loads(options.accuracy.read_text(encoding="utf-8"))
        if "table" not in record:
            raise SystemExit(f"{options.accuracy} is of another version: move it away, and measure again")
        measured = f"{measured_at({measured_of(record)})}\nCPython {record['python']}, {record['tasks']:,} tasks:"
        sections["How right a line's bytes are"] = f"{accuracy.HOW}\n\n{measured}\n\n{record['table']}"
    print(*(f"made anew: {title}" for title in TITLES if sections.get(title) != before.get(title)), sep="\n")
    parts = [HEAD]
    parts += [f"## {title}\n\n{sections[title]}\n" for title in TITLES if title in sections]
    parts.append(Path(__file__).with_name("notes.md").read_text(encoding="utf-8"))
    options.page.write_text("\n".join(parts), encoding="utf-8")
    print(options.page)


if __name__ == "__main__":
    main()
