"""Holds a report's post-mortems against what was really killed: pids, the kernel's counters, and the line that holds.

In a container that the test has filled the kernel may also kill what the test had not chosen: its counter tells such a
death from a post-mortem that nobody died for.
"""

import dataclasses
import json
import pathlib
import time

from processes import patient

JOB = pathlib.Path(__file__).parent / "job.py"
LEAST_HELD_BYTES = 32_000_000  # from which the top line has to be right
HOLDERS = ["small", "medium", "large"]
SOON_SECONDS = patient(5)  # on a busy machine an executor may not have noticed by then
CLOCK_SECONDS = patient(1)  # a kill may be seen in the counter so much later than the death that it makes
TOLD_SECONDS = patient(20)  # from a kill to the death that is told


@dataclasses.dataclass
class Death:
    """What was killed, and what is known of it."""

    kind: str  # worker, executor: by SIGKILL; memory: by the kernel
    executor: str
    pid: int
    tasks: list
    held: list  # names of the functions whose blocks its tasks held
    container: str | None  # the folder of its memory cgroup
    kernel_kills: int = 0  # what the container's counter rose by
    time: float = dataclasses.field(default_factory=time.time)


@dataclasses.dataclass
class Verdict:
    """A death and its post-mortem."""

    death: Death
    told: bool = False
    by_itself: bool = False  # a post-mortem is this death's alone
    # The kernel took its executor, too, or instead: that one's post-mortem, of what its workers held, is for both.
    with_executor: dict | None = None
    # None: it is told as unknown, and was no kill by the kernel; or it is in doubt: the kernel killed something else
    # there at that time, and nothing recorded tells them apart.
    memory_right: bool | None = False
    unknown: bool = False  # told so; of a kill by the kernel, whose counter is there to be read, that is wrong
    line_right: bool | None = None  # None: nothing to be right about
    shown: str = ""  # the top line, where it is wrong


@dataclasses.dataclass
class Judgement:
    """What a report says of the deaths."""

    verdicts: list
    by_kernel: list  # post-mortems of what the kernel killed although nobody had asked it to
    unasked: list  # post-mortems that nobody died for
    untold: list  # (container, moment) of kills by the kernel that no post-mortem explains

    def dead_workers(self):
        """How many tasks may have failed at most: an executor's own are not counted as failed."""
        asked = sum(verdict.death.kind != "executor" for verdict in self.verdicts)
        return asked + sum(told["process"] == "python-worker" for told in self.by_kernel)


def judge(report, deaths, kills, homes):
    """The Judgement of the post-mortems in this report.json.

    `kills`: KernelKills.all(); `homes`: the container of each executor, as far as it is known.
    """
    left = list(report["postMortems"])
    verdicts = [_verdict(death, deaths, left) for death in deaths]
    explained = [verdict.death for verdict in verdicts if verdict.by_itself or verdict.with_executor]
    besides = _kills_besides(kills, explained)
    for verdict in verdicts:
        if verdict.told and verdict.memory_right is False and _in_doubt(verdict.death, besides):
            verdict.memory_right = None
    result = Judgement(verdicts, [], [], _kills_besides(kills, deaths))
    for verdict in verdicts:
        if verdict.with_executor and verdict.death.kernel_kills > 1:
            _take_kill_of(verdict.with_executor, result.untold, homes)
    killed = {death.pid for death in deaths}
    for told in left:
        by_kernel = told["pid"] not in killed and _take_kill_of(told, result.untold, homes)
        (result.by_kernel if by_kernel else result.unasked).append(told)
    return result


def _kills_besides(kills, deaths):
    """The kills without those of the deaths that the kernel was asked for: of each the last one before it."""
    kills = [(str(container), when) for container, when in kills]
    for death in deaths:
        own = [kill for kill in kills if kill[0] == death.container and kill[1] <= death.time + CLOCK_SECONDS]
        if death.kernel_kills > 0 and own:
            kills.remove(own[-1])
    return kills


def _verdict(death, deaths, left):
    verdict = Verdict(death)
    process = "jvm" if death.kind == "executor" else "python-worker"
    for told in left:
        if told["process"] != process or told["executorId"] != death.executor:
            continue
        if process == "python-worker" and told["pid"] != death.pid:
            continue
        left.remove(told)
        verdict.told = verdict.by_itself = True
        verdict.unknown = told["unknown"]
        verdict.memory_right = _memory_right(death, told)
        verdict.line_right = _line_right(death, told)
        if verdict.line_right is False:
            verdict.shown = json.dumps(told["sites"][:1])
        break
    else:
        # Nobody was left to tell of it where its executor died, too: it is one death with that one's.
        if _heir(death, deaths) is not None:
            verdict.told, verdict.memory_right = True, True
        elif (taken := _executor_that_the_kernel_took(death, left)) is not None:
            left.remove(taken)
            verdict.told = verdict.memory_right = True
            verdict.with_executor = {key: taken[key] for key in ("executorId", "pid", "timeMs", "outOfMemory")}
            verdict.line_right = _line_right(dataclasses.replace(death, kind="executor"), taken)
    return verdict


def _memory_right(death, told):
    by_kernel = death.kernel_kills > 0
    return None if told["unknown"] and not by_kernel else told["outOfMemory"] == by_kernel


def _executor_that_the_kernel_took(death, left):
    """The post-mortem of its executor, where the kernel took that as well, or instead of the worker."""
    for told in left:
        is_its = told["process"] == "jvm" and told["executorId"] == death.executor
        is_soon = abs(told["timeMs"] / 1e3 - death.time) < TOLD_SECONDS
        if death.kernel_kills > 0 and is_its and is_soon and told["outOfMemory"]:
            return told
    return None


def _heir(death, deaths):
    """The executor's own death, where it came so soon after the worker's that the executor could not tell of it."""
    for other in deaths:
        is_its = other.kind == "executor" and other.executor == death.executor and death.kind != "executor"
        if is_its and 0 <= other.time - death.time < SOON_SECONDS:
            return other
    return None


def _line_right(death, told):
    held = HOLDERS if death.kind == "executor" else death.held
    lines = {marked("eaten") if name == "full" else marked(name) for name in held}
    if death.kind != "worker":  # what an executor's workers held is known up to a task that had just begun or ended
        lines.add(marked("eaten"))
    top = told["sites"][0] if told["sites"] else None
    if top is None or (top["liveAtPeakBytes"] or 0) < LEAST_HELD_BYTES:
        return None if death.kind == "executor" else False
    python = [frame for frame in top["frames"] if frame["language"] == "python"]
    return bool(python) and python[-1]["line"] in lines and pathlib.PurePath(python[-1]["file"]).name == JOB.name


def _take_kill_of(told, kills, homes):
    """Whether the kernel killed something in its container shortly before; takes that kill out of `kills`."""
    died, home = told["timeMs"] / 1e3, homes.get(told["executorId"])
    own = [kill for kill in kills if kill[0] == home and -TOLD_SECONDS < kill[1] - died < CLOCK_SECONDS]
    if not told["outOfMemory"] or not own:
        return False
    kills.remove(own[-1])
    return True


def _in_doubt(death, kills):
    """Whether it was no kill by the kernel, but there was one of another process beside it."""
    near = [when for container, when in kills if container == death.container]
    return death.kernel_kills == 0 and any(abs(when - death.time) < SOON_SECONDS for when in near)


def marked(name):
    """The number of the job's line that ends with `# name`."""
    (number,) = [at for at, text in enumerate(JOB.read_text().splitlines(), 1) if text.endswith(f"# {name}")]
    return number
