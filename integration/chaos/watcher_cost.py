"""What the watcher costs an executor with sixteen Python workers: processor time of its thread, as a share of one core.

Below half of the container's limit, and above it; at most 0.3 % and 1 % are wanted.
"""

import argparse
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

JOB = pathlib.Path(__file__).parent / "waiting.py"
WORKERS = 16
THREAD = "memprof-watch"
AMPLE_BYTES = 1 << 34
BELOW, ABOVE = 0.4, 0.7  # of the limit
START_SECONDS, SETTLE_SECONDS = 180, 3


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
    raise SystemExit(f"watcher_cost: no thread {THREAD} in {container}")


def share(thread, seconds):
    """Of one core, in percent."""

    def on_cpu_ns():
        return int((thread / "schedstat").read_text().split()[0])

    start, begin = on_cpu_ns(), time.monotonic_ns()
    time.sleep(seconds)
    return 100 * (on_cpu_ns() - start) / (time.monotonic_ns() - begin)


def measured(line, seconds, container, folder):
    """(share below, share above)"""
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
                raise SystemExit("watcher_cost: the workers did not start")
            time.sleep(0.2)
        thread = watcher_of(container)
        shares = []
        for full in (BELOW, ABOVE):
            (container / "memory.limit_in_bytes").write_text(str(int(used_bytes(container) / full)))
            time.sleep(SETTLE_SECONDS)
            shares.append(share(thread, seconds))
        return shares
    finally:
        (folder / "stop").touch()
        if process is not None:
            process.wait(60)
        cluster.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30, help="of each of both; default: %(default)s")
    parser.add_argument("--spark", choices=conftest.LINES, default="4")
    asked = parser.parse_args()
    with (
        memory_cgroups.container(AMPLE_BYTES, without=sys.exit) as container,
        tempfile.TemporaryDirectory(prefix="memprof-watcher-") as name,
    ):
        below, above = measured(asked.spark, asked.seconds, container, pathlib.Path(name))
    print(f"| the watcher with {WORKERS} workers, Spark {asked.spark} | of one core | wanted |\n|---|---|---|")
    print(
        f"| at {BELOW:.0%} of the limit | {below:.2f} % | ≤ 0.3 % |\n| at {ABOVE:.0%} of it | {above:.2f} % | ≤ 1 % |"
    )


if __name__ == "__main__":
    main()
