"""What tests/soak.sh asks of its runs: whether one counts, and what all of them come to.

    soaked.py counts SUMMARY LOG COMMIT     why the run of this summary.json and log doesn't count; nothing: it does
    soaked.py total FOLDER RUNS             names what failed and how often; exit status 1: not all were green

A run counts whatever came of its tests, but only from its begin to its end: it was cut off, or could not start, where
there is no summary, or one that its log doesn't end with.
"""

import collections
import json
import pathlib
import re
import sys

COUNTS = ("passed", "failed", "skipped")


def why_not(summary, log, commit):
    """A sentence; "": it counts."""
    try:
        found = json.loads(summary.read_text())
        last = f"{', '.join(f'{found[kind]} {kind}' for kind in COUNTS)}"
        of = found["commit"], found["dirty"], found["tier"]
    except FileNotFoundError:
        return "it left no summary: it was cut off, or could not start"
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"its summary is cut off or damaged: {error!r}"
    if of != (commit, False, "landing"):
        return f"it was not of the landing tier of commit {commit}, or the checkout was changed"
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError as error:
        return f"its log can't be read: {error}"
    return "" if lines[-1:] == [last] else "its log doesn't end with its summary"


def total(folder, runs):
    green, failures, flaky = 0, collections.Counter(), collections.Counter()
    for run in range(1, runs + 1):
        summary = json.loads((folder / f"{run}.json").read_text())
        green += summary["failed"] == 0
        flaky.update(summary["flaky"])
        log = (folder / f"{run}.log").read_text(errors="replace")
        failures.update(re.findall(r"^FAILED  (\S+?: .*?)(?:: |$)", log, re.MULTILINE))
    for name, times in failures.most_common():
        print(f"{times:4} times red: {name}")
    for name, times in flaky.most_common():
        print(f"{times:4} times flaky: {name}")
    print(f"{green} of {runs} green")
    return int(green < runs or any(times > 1 for times in flaky.values()))


if __name__ == "__main__":
    what, *words = sys.argv[1:]
    if what == "total":
        sys.exit(total(pathlib.Path(words[0]), int(words[1])))
    print(why_not(pathlib.Path(words[0]), pathlib.Path(words[1]), words[2]), end="")
