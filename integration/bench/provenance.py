"""Of what and where a figure was measured: each record in build/bench has it."""

from __future__ import annotations

import datetime
import functools
import os
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
GIB = 1 << 30


def _commit() -> str:
    def git(*words: str) -> str:
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True, check=True).stdout.strip()

    try:
        return git("rev-parse", "--short", "HEAD") + (" with changes" if git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _processor() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


@functools.cache
def here() -> dict[str, str]:
    """commit, date and machine, as people read them."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB
    machine = f"{os.cpu_count()} CPUs, {_processor()}, {memory:.0f} GiB, Linux {platform.release().partition('-')[0]}"
    return {"commit": _commit(), "date": datetime.date.today().isoformat(), "machine": machine}
