"""Memory cgroups for tests, in which the kernel really kills."""

import contextlib
import os
import pathlib
import re
import time
import uuid

import pytest
from processes import patient


def memory_hierarchy():
    """The folder of this process's own memory cgroup, or the reason why none can be made below it."""
    if os.geteuid() != 0:
        return None, "only root may make a memory cgroup"
    own = re.search(r"^\d+:(?:\w+,)*memory(?:,\w+)*:(.*)$", pathlib.Path("/proc/self/cgroup").read_text(), re.MULTILINE)
    mounts = pathlib.Path("/proc/self/mounts").read_text().splitlines()
    points = [words[1] for words in map(str.split, mounts) if words[2] == "cgroup" and "memory" in words[3].split(",")]
    if own is None or not points:
        return None, "no version 1 memory cgroup here"
    folder = pathlib.Path(points[0] + own[1])
    return (folder, "") if os.access(folder, os.W_OK) else (None, f"{folder} is read-only")


def make_container(limit_bytes):
    """(folder, "") of a new memory cgroup with this limit, or (None, the reason why there is none)."""
    parent, reason = memory_hierarchy()
    if parent is None:
        return None, reason
    folder = parent / f"memprof-{uuid.uuid4().hex[:12]}"
    try:
        folder.mkdir()
        (folder / "memory.limit_in_bytes").write_text(str(limit_bytes))
    except OSError as refused:
        return None, f"no memory cgroup can be made here: {refused}"
    return folder, ""


@contextlib.contextmanager
def container(limit_bytes, without=pytest.skip):
    """A memory cgroup with this limit; `without` gets the reason why there is none: the test is skipped."""
    folder, reason = make_container(limit_bytes)
    if folder is None:
        without(reason)
    try:
        yield folder
    finally:
        remove_container(folder)


@contextlib.contextmanager
def group_within(folder, name):
    """A memory cgroup without a limit of its own, inside another."""
    inside = folder / name
    inside.mkdir()
    try:
        yield inside
    finally:
        remove_container(inside)


def more_than_one(kills):
    """For reruns.played: before the memory of one is free, the kernel may take a second process."""
    assert kills >= 1
    return f"the kernel killed {kills} processes" if kills > 1 else ""


def kernel_kills_on_host():
    """Of all processes since it was booted, in cgroups, too."""
    lines = pathlib.Path("/proc/vmstat").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


def kernel_kills(folder):
    """What the kernel has killed in it."""
    return int(re.search(r"oom_kill (\d+)", (folder / "memory.oom_control").read_text())[1])


def memory_in_use(folder):
    """Without page cache."""
    stat = (folder / "memory.stat").read_text()
    cache = sum(int(re.search(rf"^total_{half}_file (\d+)", stat, re.MULTILINE)[1]) for half in ("active", "inactive"))
    return int((folder / "memory.usage_in_bytes").read_text()) - cache


def remove_container(folder):
    """Once what ran in it has ended."""
    deadline = time.monotonic() + max(patient(20), 2)  # a killed process takes a moment to go, even if nobody waits
    while (folder / "cgroup.procs").read_text() and time.monotonic() < deadline:
        time.sleep(0.1)
    folder.rmdir()


def entering(folder):
    """Words before a command that put it, and all that it starts, into the container."""
    return ["sh", "-c", f'echo $$ > {folder}/cgroup.procs && exec "$@"', "sh"]
