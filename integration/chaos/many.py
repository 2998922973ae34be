"""Deaths by the hundred, twenty an application. What was found out is kept after each; a second call goes on there."""

import argparse
import collections
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
import judging
import memory_cgroups
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


def summary(results):
    """Rows of a table: what was demanded, of how many, how many held."""
    verdicts = [verdict for result in results for verdict in result["verdicts"]]
    kinds = collections.Counter(verdict["death"]["kind"] for verdict in verdicts)
    judged = [verdict for verdict in verdicts if verdict["line_right"] is not None]
    in_doubt = sum(verdict["memory_right"] is None for verdict in verdicts)
    shared = sum(verdict["told"] and not verdict["by_itself"] for verdict in verdicts)
    rows = [
        ("deaths", len(verdicts), ", ".join(f"{kinds[kind]} {kind}" for kind in sorted(kinds))),
        (
            "of them by SIGKILL in a container that was nearly full",
            sum(result["filled"] for result in results),
            f"{storm.FULL:.0%} of its limit",
        ),
        (
            "with a post-mortem",
            sum(verdict["told"] for verdict in verdicts),
            f"{shared} with that of their executor, which died at the same time",
        ),
        (
            "right about memory or not",
            sum(verdict["memory_right"] is True for verdict in verdicts),
            f"the kernel's counter judges; {in_doubt} in doubt: it killed another process at that time",
        ),
        (
            "right about the top line",
            sum(verdict["line_right"] for verdict in judged),
            f"of {len(judged)} judged: of the others no line of {judging.LEAST_HELD_BYTES // 10**6} MB was told",
        ),
        ("post-mortems of what the kernel killed besides", sum(result["byKernel"] for result in results), ""),
        ("kills by the kernel that none explains", sum(len(result["untoldKills"]) for result in results), ""),
        ("post-mortems that nobody died for", sum(len(result["unasked"]) for result in results), ""),
        ("failed tasks beyond the killed ones", sum(result["extraFailedTasks"] for result in results), ""),
        ("boxes left", sum(result["leftBoxes"] for result in results), ""),
        ("corrupt boxes", sum(result["corrupt"] for result in results), ""),
        ("applications that failed", sum(result["status"] != 0 for result in results), f"of {len(results)}"),
    ]
    return "\n".join(["| what | how many | |", "|---|---|---|", *(f"| {a} | {b} | {c} |" for a, b, c in rows)])


def worth_a_look(results):
    """What to look into: deaths whose post-mortem is wrong, and post-mortems that nobody died for."""
    for result in results:
        for verdict in result["verdicts"]:
            if not verdict["told"] or verdict["memory_right"] is False or verdict["line_right"] is False:
                yield f"seed {result['seed']}: {json.dumps(verdict)}"
        yield from (f"seed {result['seed']}: not asked for: {headline}" for headline in result["unasked"])
        yield from (f"seed {result['seed']}: a kill without a post-mortem: {kill}" for kill in result["untoldKills"])


def misses(results):
    """Whether something is below what is demanded: every death told, none wrong about memory, 99 of 100 lines right.

    A line that can't be judged counts as wrong.
    """
    verdicts = [verdict for result in results for verdict in result["verdicts"]]
    wrong = [verdict for verdict in verdicts if not verdict["told"] or verdict["memory_right"] is False]
    lines = sum(verdict["line_right"] is True for verdict in verdicts)
    faults = ("unasked", "leftBoxes", "corrupt", "status")
    return bool(
        wrong
        or lines < 0.99 * len(verdicts)
        or any(result[fault] for result in results for fault in faults)
        or any(result["extraFailedTasks"] > 0 for result in results)
    )


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
    print(summary(results))
    for line in worth_a_look(results):
        print(line, file=sys.stderr)
    sys.exit(1 if misses(results) else 0)


if __name__ == "__main__":
    main()
