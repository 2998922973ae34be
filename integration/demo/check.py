"""Holds the demo's report.json against what the job really allocated; prints a line per claim, exits 1 if one is off.

check.py REPORT_JSON CPP_LIBRARY [RUST_LIBRARY]
"""

import ctypes
import json
import pathlib
import sys

DEMO = pathlib.Path(__file__).resolve().parent
failures = 0


def claim(holds, text):
    global failures
    failures += not holds
    print(f"  {'ok  ' if holds else 'OFF '} {text}")


def line_of(needle, file):
    """The number of the only line of `file` that contains `needle`."""
    numbers = [number for number, line in enumerate(file.read_text().splitlines(), 1) if needle in line]
    assert len(numbers) == 1, f"{needle!r} stands in {len(numbers)} lines of {file}"
    return numbers[0]


def check_library(report, udf, caller, exported, library):
    truth = getattr(ctypes.CDLL(library), f"{exported}_scratch_bytes")
    truth.restype = ctypes.c_uint64
    truth = truth()
    call = "average(values, weights, len(values))"
    helper = (DEMO / "averages.py").read_text().splitlines()
    start = line_of(f"def {caller}(", DEMO / "averages.py")
    line = start + next(n for n, text in enumerate(helper[start:], 1) if call in text)
    definition = line_of(f"def {udf}(batches)", DEMO / "job.py")

    def is_python(frame, file, number):
        return (
            frame["language"] == "python" and pathlib.Path(frame["file"] or "").name == file and frame["line"] == number
        )

    def at_the_line(site):
        python = [frame for frame in site["frames"] if frame["language"] == "python"]
        return site["origin"] == "python" and python and is_python(python[-1], "averages.py", line)

    candidates = [(stage, site) for stage in report["stages"] for site in stage["sites"] if at_the_line(site)]
    if not candidates:
        claim(False, f"{udf}: no site at averages.py:{line}")
        return
    stage, site = max(candidates, key=lambda candidate: candidate[1]["liveAtPeakBytes"])
    name = f"stage {stage['stageId']}, {udf}"
    claim(
        bool(site["udf"]) and udf in site["udf"] and f"job.py:{definition}" in site["udf"],
        f"{name}: UDF is {site['udf']}, defined in job.py:{definition}",
    )
    live, resident = site["liveAtPeakBytes"], site["residentAtPeakBytes"]
    claim(
        abs(live - truth) <= truth / 100,
        f"{name}: averages.py:{line} holds {live:,} bytes at the peak; truth {truth:,}",
    )
    claim(resident is not None and resident >= 0.99 * live, f"{name}: {resident or 0:,} of them resident")
    frames = site["frames"]
    position = max(n for n, frame in enumerate(frames) if frame["language"] == "python")
    natives = [frame["function"] or "" for frame in frames[position + 1 :] if frame["language"] == "native"]
    claim(
        any(exported in function for function in natives),
        f"{name}: native frames below the line: {' > '.join(natives)}",
    )
    # The buffer is one block: whichever line it is charged to holds all of it.
    others = [
        other["liveAtPeakBytes"]
        for other in stage["sites"]
        if other["origin"] == "python" and not at_the_line(other) and other["liveAtPeakBytes"] is not None
    ]
    largest = max(others, default=0)
    claim(
        largest < truth / 10, f"{name}: no other line is charged with the buffer; the next one holds {largest:,} bytes"
    )
    check_origin([stage], "jvm-heap", f"{name}: JVM heap allocated by the same tasks")


def check_origin(stages, origin, what):
    sites = [site for stage in stages for site in stage["sites"] if site["origin"] == origin]
    total = sum(site["allocatedBytes"] for site in sites)
    named = all(site["frames"] for site in sites)
    claim(total > 0 and named, f"{what}: {total:,} bytes, {len(sites)} call sites")


def check_executors(report):
    executors = [executor for executor in report["executors"] if executor["id"] != "driver"]
    claim(len(executors) == 2, f"{len(executors)} executors beside the driver")
    for executor in executors:
        kinds = {}
        for process in executor["processes"]:
            kinds.setdefault(process["kind"], []).append(process["peakRssBytes"])
        peaks = ", ".join(f"{kind} {max(sizes) >> 20} MiB" for kind, sizes in sorted(kinds.items()))
        claim(
            {"jvm", "python-worker"} <= set(kinds) and all(min(sizes) > 0 for sizes in kinds.values()),
            f"executor {executor['id']}: peak RSS {peaks}",
        )
        at_peak = executor["atPeak"]
        total = sum(process["bytes"] if "bytes" in process else process["rssBytes"] for process in at_peak["processes"])
        claim(
            total > 0 and at_peak["usedBytes"] > 0,
            f"executor {executor['id']}: at its peak {at_peak['usedBytes'] >> 20} MiB in use",
        )
        regions = {region["name"]: region["budgetBytes"] for region in executor["regions"]}
        claim(
            {"heap.reserved", "heap.storage", "heap.execution", "heap.user"} <= set(regions),
            f"executor {executor['id']}: budget by region, {', '.join(sorted(regions))}",
        )
        claim(
            executor["limitBytes"] > 0 and executor["limitSource"] in ("cgroup", "spark", "host"),
            f"executor {executor['id']}: limit {executor['limitBytes']:,} bytes from {executor['limitSource']}",
        )


def main():
    report = json.loads(pathlib.Path(sys.argv[1]).read_text())
    claim(report["schemaVersion"] == 1 and not report["unfinished"], "report.json is finished, schema version 1")
    check_library(report, "aggregate", "with_cpp", "weighted_average", sys.argv[2])
    if len(sys.argv) > 3:
        check_library(report, "aggregate_rust", "with_rust", "weighted_average_rust", sys.argv[3])
    # Netty keeps its chunks from stage to stage, so only the job as a whole is sure to ask for some.
    check_origin(report["stages"], "jvm-offheap", "JVM off-heap allocated by the job's tasks")
    check_executors(report)
    if failures:
        print(f"{failures} claims are off", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
