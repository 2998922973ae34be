"""Adds up the JUnit files of all suites and closes with `N passed, N failed, N skipped`.

summary.py RESULTS SUITE…

Exit status 1 when a test failed, a suite left no result or ran no test at all.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree as ET


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
