#!/usr/bin/env python3
"""What the hooks cost: CPU seconds of a workload with them, as a ratio to the same without.

    MEMPROF_BUILD=build/release tests/benchmarks/shim_overhead.py PYTHON [ROUNDS]

PYTHON is an interpreter with numpy and pandas that the hooks have been built for. Each round runs every workload once
bare, once under the hooks and once bare again, each in a process of its own; a workload's figure is the smallest of its
rounds, for a busy machine only ever adds. The ratio of the two bare figures is the noise.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("MEMPROF_BUILD", ROOT / "build" / "release"))
INTERVAL = 65536

PRELUDE = """
import itertools, os, sys, time
hooks = None
if os.environ.get("HOOKED"):
    from sparkmemprof import _hooks as hooks
    hooks.start(os.environ["BOXES"], "benchmark", "0", int(os.environ["INTERVAL"]))
    hooks.open_session()
def measured(work):
    work(1)
    begin = time.process_time()
    work(int(sys.argv[1]))
    print(time.process_time() - begin)
    if hooks is not None:
        hooks.close_session()
        hooks.stop()
"""
WORKLOADS = {
    "pandas": (
        8,
        """
import numpy, pandas
frame = pandas.DataFrame({"key": numpy.arange(400_000) % 1000, "value": numpy.random.default_rng(1).random(400_000)})
def work(n):
    for _ in range(n):
        joined = frame.merge(frame.groupby("key", as_index=False)["value"].mean(), on="key")
        joined["difference"] = joined["value_x"] - joined["value_y"]
        joined.sort_values("difference").head()
measured(work)
""",
    ),
    "many small objects": (
        6,
        """
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y
def work(n):
    for _ in range(n):
        points = [Point(float(i), str(i)) for i in range(200_000)]
        {point.y: [point.x] for point in points}
measured(work)
""",
    ),
    "bare objects": (
        10,
        """
def work(n):
    for _ in range(n):
        [object() for _ in itertools.repeat(None, 1_000_000)]
measured(work)
""",
    ),
    "tiny arrays": (
        6,
        """
import numpy
def work(n):
    for _ in range(n):
        arrays = [numpy.zeros(16) for _ in range(100_000)]
        sum(float((array + 1).sum()) for array in arrays[:50_000])
measured(work)
""",
    ),
    "json": (
        6,
        """
import json
text = json.dumps([{"id": i, "name": f"name {i}", "values": list(range(10))} for i in range(20_000)])
def work(n):
    for _ in range(n):
        json.dumps(json.loads(text))
measured(work)
""",
    ),
}


def cpu_seconds(python, package, boxes, name, hooked):
    amount, source = WORKLOADS[name]
    environment = {**os.environ, "PYTHONPATH": str(package), "BOXES": str(boxes), "INTERVAL": str(INTERVAL)}
    environment["HOOKED"] = "1" if hooked else ""
    command = [python, "-c", PRELUDE + source, str(amount)]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(finished.stdout)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    python, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 8
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder) / "python"
        (package / "sparkmemprof").mkdir(parents=True)
        (package / "sparkmemprof" / "__init__.py").touch()
        for hooks in (BUILD / "python" / "sparkmemprof").glob("_hooks.*.so"):
            (package / "sparkmemprof" / hooks.name).symlink_to(hooks.resolve())
        boxes = pathlib.Path(folder) / "boxes"
        boxes.mkdir(mode=0o700)
        runs = {name: {"bare": [], "hooked": [], "bare again": []} for name in WORKLOADS}
        for _ in range(rounds):
            for name, kinds in runs.items():
                for kind, seconds in kinds.items():
                    seconds.append(cpu_seconds(python, package, boxes, name, kind == "hooked"))
    print(f"{'workload':20} {'bare s':>8} {'hooked':>8} {'noise':>8}   minimum of {rounds}, interval {INTERVAL}")
    for name, kinds in runs.items():
        bare, hooked, again = (min(seconds) for seconds in kinds.values())
        best = min(bare, again)
        print(f"{name:20} {best:8.3f} {hooked / best:8.3f} {max(bare, again) / best:8.3f}")


if __name__ == "__main__":
    main()
