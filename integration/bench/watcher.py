"""What the watcher costs an executor with sixteen Python workers: processor time of its thread, as a share of one core.

    integration/bench.sh watcher [--times 12]

Below half of the container's limit, and above it, on both Spark lines. The container is a memory cgroup, which needs
root.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "integration/tests"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/support"))
import conftest
import memory_cgroups
import provenance
from ratios import interval_of
from results import FOLDER, MET, MISSED, OPEN, markdown

HOW = """\
What the watcher of an executor costs, which has sixteen Python workers whose tasks wait: processor time of its thread,
as a share of one core, with its 95 % interval over readings of 5 s of one executor. Others may differ by more."""
RESULTS = FOLDER / "watcher.json"
JOB = pathlib.Path(__file__).parent / "waiting.py"
WORKERS = 16
THREAD = "memprof-watch"
AMPLE_BYTES = 1 << 34
BOUNDS = {0.4: 0.3, 0.7: 1.0}  # share of the limit that is in use: percent of a core that is wanted at most
READ_SECONDS = 5
START_SECONDS, SETTLE_SECONDS = 180, 6  # for five seconds after a task began the watcher looks more often


def used_bytes(container):
    """Without what the kernel would give back."""
    inactive = re.search(r"^total_inactive_file (\d+)", (container / "memory.stat").read_text(), re.MULTILINE)[1]
    return int((container / "memory.usage_in_bytes").read_text()) - int(inactive)


def watcher_of(container):
    """The folder of the thread in /proc."""
    for pid in (container / "cgroup.procs").read_text().split():
        for thread in pathlib.Path(f"/proc/{pid}/task").glob("*"):
            if (thread / "comm").read_text().strip() == THREAD:
                return thread
    raise SystemExit(f"watcher: no thread {THREAD} in {container}")


def share(thread):
    """Of one core, in percent."""

    def on_cpu_ns():
        return int((thread / "schedstat").read_text().split()[0])

    start, begin = on_cpu_ns(), time.monotonic_ns()
    time.sleep(READ_SECONDS)
    return 100 * (on_cpu_ns() - start) / (time.monotonic_ns() - begin)


def measured(line, times, container, folder):
    """So many shares for each of BOUNDS."""
    spark = conftest.make_spark(line, folder / "spark")
    cluster = conftest.Standalone(spark, folder, workers=[memory_cgroups.entering(container)], cores=WORKERS)
    process = None
    try:
        launcher = conftest.Launcher(spark, conftest.BUILD / "sparkmemprof.jar", folder)
        conf = {"spark.executor.cores": str(WORKERS), "spark.cores.max": str(WORKERS)}
        launch = launcher.prepare(JOB, WORKERS, folder, master=cluster.master, conf=conf)
        process = launch.start(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + START_SECONDS
        while len(list(folder.glob("*.here"))) < WORKERS:
            if process.poll() is not None or time.monotonic() > end:
                raise SystemExit("watcher: the workers did not start")
            time.sleep(0.2)
        thread = watcher_of(container)
        shares = []
        for full in BOUNDS:
            (container / "memory.limit_in_bytes").write_text(str(int(used_bytes(container) / full)))
            time.sleep(SETTLE_SECONDS)
            shares.append([share(thread) for _ in range(times)])
        return shares
    finally:
        try:
            (folder / "stop").touch()
            if process is not None:
                process.wait(60)
        finally:
            cluster.stop()


def judged(shares, bound):
    """A cell."""
    middle, low, high = interval_of(shares)
    verdict = MET if high <= bound else MISSED if low > bound else OPEN
    return f"{middle:.3f} % [{low:.3f}, {high:.3f}], {verdict}"


def table(shares_of):
    """Markdown."""
    rows = []
    for number, (full, bound) in enumerate(BOUNDS.items()):
        cells = [judged(each[number], bound) for each in shares_of.values()]
        rows.append([f"{full:.0%}", f"≤ {bound} %", *cells])
    return "\n".join(markdown(["in use, of the limit", "wanted", *shares_of], rows))


def main():
    parser = argparse.ArgumentParser(
        prog="integration/bench.sh watcher", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--times", type=int, default=12, help=f"readings of {READ_SECONDS} s for each figure; default: %(default)s"
    )
    asked = parser.parse_args()
    if asked.times < 2:
        parser.error("--times: an interval needs at least two readings")
    shares_of = {}
    for line in conftest.LINES:
        print(f"  watcher: Spark {line}", file=sys.stderr, flush=True)
        with (
            memory_cgroups.container(AMPLE_BYTES, without=sys.exit) as container,
            tempfile.TemporaryDirectory(prefix="memprof-watcher-") as name,
        ):
            shares_of[f"Spark {line}"] = measured(line, asked.times, container, pathlib.Path(name))
    record = {"how": HOW, "table": table(shares_of), "times": asked.times} | provenance.here()
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(record), encoding="utf-8")
    print(record["table"])


if __name__ == "__main__":
    main()
