"""What many applications' deaths come to: a table, what is worth a look, and whether too much is wrong.

`results`: as many.application() makes them, one for each application.
"""

import collections
import json

import judging


def summary(results, full):
    """Rows of a table: what was demanded, of how many, how many held.

    full: how much of its limit a container had in use that was nearly full.
    """
    verdicts = [verdict for result in results for verdict in result["verdicts"]]
    kinds = collections.Counter(verdict["death"]["kind"] for verdict in verdicts)
    judged = [verdict for verdict in verdicts if verdict["line_right"] is not None]
    unknown = [verdict for verdict in verdicts if verdict.get("unknown", False)]
    of_kernel = sum(verdict["memory_right"] is False for verdict in unknown)
    in_doubt = sum(verdict["memory_right"] is None and not verdict.get("unknown", False) for verdict in verdicts)
    shared = sum(verdict["told"] and not verdict["by_itself"] for verdict in verdicts)
    rows = [
        ("deaths", len(verdicts), ", ".join(f"{kinds[kind]} {kind}" for kind in sorted(kinds))),
        (
            "of them by SIGKILL in a container that was nearly full",
            sum(result["filled"] for result in results),
            f"{full:.0%} of its limit",
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
        ("told as unknown", len(unknown), f"{of_kernel} of them killed by the kernel, which is wrong"),
        (
            "right about the top line",
            sum(verdict["line_right"] for verdict in judged),
            f"of {len(judged)} judged",
        ),
        (
            "top lines without a judge",
            len(verdicts) - len(judged),
            f"no line of {judging.LEAST_HELD_BYTES // 10**6} MB was told, or another's death stands for it",
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
    """Whether something is below what is demanded: every death told, none wrong about memory, none unknown but in a
    container that was nearly full, nine of ten lines judged, and 99 of 100 of these right.
    """
    verdicts = [verdict for result in results for verdict in result["verdicts"]]
    wrong = [verdict for verdict in verdicts if not verdict["told"] or verdict["memory_right"] is False]
    judged = [verdict["line_right"] for verdict in verdicts if verdict["line_right"] is not None]
    faults = ("unasked", "leftBoxes", "corrupt", "status")
    return bool(
        wrong
        or sum(verdict.get("unknown", False) for verdict in verdicts) > sum(result["filled"] for result in results)
        or len(judged) < 0.9 * len(verdicts)
        or sum(judged) < 0.99 * len(judged)
        or any(result[fault] for result in results for fault in faults)
        or any(result["extraFailedTasks"] > 0 for result in results)
    )
