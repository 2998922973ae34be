"""Writes docs/benchmarks.md from what was measured so far by `cost`, `jvm`, `accuracy`, `jvm-accuracy` and `watcher`.

integration/bench.sh publish

A section of which nothing was measured here stays in the page as it is; the others are made anew of what build/bench
has, and are said.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import accuracy
import cost
import jvm
import jvm_accuracy
import provenance
from results import FOLDER, Results

HEAD = """\
# Benchmarks

Made by `integration/bench.sh publish`; not edited by hand. A cost is a ratio of CPU times: the same work profiled and
bare, in turn, in one process, with its 95 % interval (Student's t over processes). Inside Spark workers, and where a
profiler takes a whole process (Scalene, Fil), they are two processes. A bound is *met* where the whole interval is
below it, *missed* where all of it is above, and else *open*. Each section is of the commit and the day that it names.
What was not measured, and what was measured before the code was changed, is at the end.
"""


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


def python_cost(options: argparse.Namespace) -> str | None:
    results = Results(options.results)
    return f"{measured_at(results.measured)}\n{cost.tables(results)}" if results.measured else None


def jvm_cost(options: argparse.Namespace) -> str | None:
    results = Results(options.jvm)
    return f"{jvm.HOW}\n\n{measured_at(results.measured)}\n{jvm.tables(results)}" if results.measured else None


def of_record(path: Path, how: str | None, says: Callable[[dict], str], table: Callable[[dict], str]) -> str | None:
    """A section of the one record that a file has. how: None, if the record says it; says: what was measured, of it."""
    if not path.exists():
        return None
    record = json.loads(path.read_text(encoding="utf-8"))
    try:
        return f"{how or record['how']}\n\n{measured_at({measured_of(record)})}\n{says(record)}\n\n{table(record)}"
    except KeyError as missing:
        raise SystemExit(f"{path} is of another version (without {missing}): move it away, and measure again") from None


# In the order of the page.
SECTIONS: dict[str, Callable[[argparse.Namespace], str | None]] = {
    "What profiling Python costs": python_cost,
    "What profiling the JVM costs": jvm_cost,
    "What watching processes costs": lambda options: of_record(
        options.watcher, None, lambda record: f"{record['times']} readings each:", lambda record: record["table"]
    ),
    "How right the heap's bytes are": lambda options: of_record(
        options.jvm_accuracy,
        jvm_accuracy.HOW,
        lambda record: f"{record['runtime']}, {record['runs']} applications:",
        jvm_accuracy.table,
    ),
    "How right a line's bytes are": lambda options: of_record(
        options.accuracy,
        accuracy.HOW,
        lambda record: f"CPython {record['python']}, {record['tasks']:,} tasks:",
        lambda record: record["table"],
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="integration/bench.sh publish", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=cost.DEFAULT_RESULTS, help="of `cost`")
    parser.add_argument("--jvm", type=Path, default=jvm.DEFAULT_RESULTS, help="of `jvm`")
    parser.add_argument("--watcher", type=Path, default=FOLDER / "watcher.json", help="of `watcher`")
    parser.add_argument("--jvm-accuracy", type=Path, default=jvm_accuracy.RESULTS, help="of `jvm-accuracy`")
    parser.add_argument("--accuracy", type=Path, default=accuracy.RESULTS, help="of `accuracy`")
    parser.add_argument("--page", type=Path, default=provenance.ROOT / "docs/benchmarks.md", help="what is written")
    options = parser.parse_args()
    measured = {title: text for title, section in SECTIONS.items() if (text := section(options)) is not None}
    if not measured:
        raise SystemExit(f"nothing was measured: {options.results} is missing or empty; run integration/bench.sh cost")
    before = sections_of(options.page)
    sections = before | measured
    print(*(f"made anew: {title}" for title in SECTIONS if sections.get(title) != before.get(title)), sep="\n")
    parts = [HEAD]
    parts += [f"## {title}\n\n{sections[title]}\n" for title in SECTIONS if title in sections]
    parts.append(Path(__file__).with_name("notes.md").read_text(encoding="utf-8"))
    options.page.write_text("\n".join(parts), encoding="utf-8")
    print(options.page)


if __name__ == "__main__":
    main()
