"""Deaths by the hundred, twenty an application. What was found out is kept after each; a second call goes on there."""

import argparse
import dataclasses
import hashlib
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "integration/tests"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests/support"))
import conftest
import memory_cgroups
import results as found
import storm

A_TIME = 20


def build():
    """What is tested: results of another build are not counted with this one's."""
    return hashlib.sha1((conftest.BUILD / "sparkmemprof.jar").read_bytes()).hexdigest()[:12]


def application(line, seed, deaths):
    """One line of results."""
    with tempfile.TemporaryDirectory(prefix="memprof-chaos-") as name:
        folder = pathlib.Path(name)
        (folder / "truth").mkdir()
        spark = conftest.make_spark(line, folder / "spark")
        made = [memory_cgroups.make_container(storm.LIMIT_BYTES) for _ in range(2)]
        containers = [container for container, _ in made if container is not None]
        if not containers:
            print(f"chaos: nothing is killed for its memory: {made[0][1]}", file=sys.stderr)
        prefixes = [memory_cgroups.entering(each) for each in containers] or [(), ()]
        cluster = conftest.Standalone(spark, folder, workers=prefixes, memory="1g")
        try:
            launcher = conftest.Launcher(spark, conftest.BUILD / "sparkmemprof.jar", folder)
            chaos = storm.Storm(launcher, cluster, containers, folder / "truth", seed)
            run = chaos.run(deaths)
        finally:
            cluster.stop()
            for container in containers:
                memory_cgroups.remove_container(container)
        report = json.loads(next(run.reports.glob("*/report.json")).read_text())
        judged = chaos.judge(report)
        failed = sum(stage["otherAttempts"]["failed"] for stage in report["stages"])
        return {
            "line": line,
            "build": build(),
            "seed": seed,
            "status": run.status,
            "byKernel": len(judged.by_kernel),
            "untoldKills": judged.untold,
            "unasked": [death["headline"] for death in judged.unasked],
            "extraFailedTasks": failed - judged.dead_workers(),
            "leftBoxes": len(list(chaos.boxes.rglob("*.box"))),
            "corrupt": sum("corrupt" in each for each in conftest.warnings_of(run)),
            "filled": chaos.filled,
            "verdicts": [dataclasses.asdict(verdict) for verdict in judged.verdicts],
        }


def main():
    parser = argparse.ArgumentParser(description=f"{__doc__} Exit status 1: something is below what is demanded.")
    parser.add_argument("--deaths", type=int, default=300)
    parser.add_argument("--spark", choices=conftest.LINES, default="4")
    default = conftest.ROOT / "build/chaos/results.jsonl"
    parser.add_argument(
        "--results", type=pathlib.Path, default=default, help="what was found out so far; default: %(default)s"
    )
    asked = parser.parse_args()
    asked.results.parent.mkdir(parents=True, exist_ok=True)
    known = asked.results.read_text().splitlines() if asked.results.exists() else []
    this = (asked.spark, build())
    results = [result for result in map(json.loads, known) if (result["line"], result.get("build")) == this]
    while (done := sum(len(result["verdicts"]) for result in results)) < asked.deaths:
        print(f"chaos: {done} of {asked.deaths} deaths", file=sys.stderr, flush=True)
        result = application(asked.spark, 20_011 + len(results), min(A_TIME, asked.deaths - done))
        if not result["verdicts"]:
            sys.exit("chaos: nothing could be killed")
        results.append(result)
        with asked.results.open("a") as out:
            out.write(json.dumps(result) + os.linesep)
    print(found.summary(results, storm.FULL))
    for line in found.worth_a_look(results):
        print(line, file=sys.stderr)
    sys.exit(1 if found.misses(results) else 0)


if __name__ == "__main__":
    main()
