"""How old the last words are when the kernel kills: workers that take a gigabyte a second in a container.

Each death is that of a task's first attempt; the second passes. Of each post-mortem: how far below the limit the last
sample was, and how old. Within 3 % of the limit or 100 ms of the death is what is wanted; else the exit status is 1.
"""

import argparse
import pathlib
import statistics
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "integration/tests"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/support"))
import conftest
import memory_cgroups

JOB = pathlib.Path(__file__).parent / "fast.py"
LIMIT_BYTES = 1_100_001_280
NEAR_PERCENT, FRESH_MS = 3, 100


def post_mortems(line, deaths, container, folder):
    spark = conftest.make_spark(line, folder / "spark")
    cluster = conftest.Standalone(spark, folder, workers=[memory_cgroups.entering(container)])
    try:
        launcher = conftest.Launcher(spark, conftest.BUILD / "sparkmemprof.jar", folder)
        conf = {"spark.executor.memory": "512m", "spark.executor.cores": "1", "spark.cores.max": "1"}
        run = launcher(JOB, deaths, master=cluster.master, conf=conf).demand_success()
    finally:
        cluster.stop()
    return run.report()["postMortems"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deaths", type=int, default=20)
    parser.add_argument("--spark", choices=conftest.LINES, default="4")
    asked = parser.parse_args()
    with (
        memory_cgroups.container(LIMIT_BYTES, without=sys.exit) as container,
        tempfile.TemporaryDirectory(prefix="memprof-last-words-") as name,
    ):
        deaths = post_mortems(asked.spark, asked.deaths, container, pathlib.Path(name))
    found = [death for death in deaths if death["outOfMemory"]]
    if len(found) != asked.deaths:
        sys.exit(f"last-words: of {asked.deaths} kills {len(found)} were told as such")
    below = [100 * (1 - death["usedBytes"] / death["limitBytes"]) for death in found]
    ages = [death["lastSampleAgeMs"] for death in found]
    late = [death for death, gap, age in zip(found, below, ages, strict=True) if gap > NEAR_PERCENT and age > FRESH_MS]
    print(f"| {len(found)} kernel kills at 1 GB/s, Spark {asked.spark} | median | worst |\n|---|---|---|")
    print(f"| last sample below the limit, % | {statistics.median(below):.1f} | {max(below):.1f} |")
    print(f"| its age at the death, ms | {statistics.median(ages):.0f} | {max(ages)} |")
    good = len(found) - len(late)
    print(f"\nwithin {NEAR_PERCENT} % of the limit or {FRESH_MS} ms of the death: {good} of {len(found)}")
    for death in late:
        print(f"  not so: {death['lastSampleAgeMs']} ms before: {death['headline']}; {death['how']}")
    sys.exit(1 if late else 0)


if __name__ == "__main__":
    main()
