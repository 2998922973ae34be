"""Adds up the JUnit files of all suites and closes with `N passed, N failed, N skipped`.

summary.py RESULTS SUITE…

Exit status 1 when a test failed, a suite left no result or ran no test at all.
"""

import pathlib
import sys
import xml.etree.ElementTree as ET


def outcome(case):
    """('passed' | 'failed' | 'skipped', reason) of one <testcase>; CTest and pytest write it differently."""
    for tag, kind in (("failure", "failed"), ("error", "failed"), ("skipped", "skipped")):
        found = case.find(tag)
        if found is not None:
            text = (found.get("message") or found.text or "").strip()
            if not text and (output := case.find("system-out")) is not None:
                text = (output.text or "").strip()
            return kind, text.splitlines()[0][:200] if text else "no reason given"
    if case.get("status") in ("fail", "disabled", "notrun"):
        return ("failed" if case.get("status") == "fail" else "skipped"), case.get("status")
    return "passed", ""


def main():
    results = pathlib.Path(sys.argv[1])
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for suite in sys.argv[2:]:
        path = results / f"{suite}.xml"
        cases = list(ET.parse(path).getroot().iter("testcase")) if path.exists() else []
        if not cases:
            counts["failed"] += 1
            print(f"FAILED  {suite}: the suite ran no test or ended before writing its result")
        for case in cases:
            kind, reason = outcome(case)
            counts[kind] += 1
            if kind != "passed":
                print(f"{kind.upper():7} {suite}: {case.get('classname', '')}.{case.get('name')}: {reason}")
    print(", ".join(f"{count} {kind}" for kind, count in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
