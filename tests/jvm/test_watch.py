"""The watcher: peaks of the JVM and of Python processes below it, and of the container."""

import os
import pathlib
import subprocess
import sys
import time

import pytest

MIB = 1 << 20
WORKER_BYTES = 157_286_413

# Stands in for PySpark's daemon: forks one worker, which takes a known amount of memory and says so.
DAEMON = f"""
import os, time
daemon = os.getpid()
if os.fork() == 0:
    block = bytearray(os.urandom(1)) * {WORKER_BYTES}
    open("held", "w").close()
    while os.getppid() == daemon:
        time.sleep(0.05)
else:
    time.sleep(600)
"""


@pytest.fixture
def daemon(tmp_path):
    package = tmp_path / "python" / "pyspark"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "daemon.py").write_text(DAEMON)
    return {"PYTHONPATH": str(package.parent)}


def by_kind(snapshot, kind):
    return [process for process in snapshot["processes"] if process["kind"] == kind]


def test_peaks_of_every_process_with_rows_that_add_up(java, daemon):
    outcome = java.run("WatchedTree", sys.executable, env=daemon)
    assert outcome.status == 0, outcome.err
    snapshots = [message["executor"] for message in outcome.messages() if "executor" in message]
    last = snapshots[-1]

    (worker,) = by_kind(last, "python-worker")
    assert WORKER_BYTES < worker["peakRssBytes"] < WORKER_BYTES + 40 * MIB
    assert worker["rows"]["RssAnon"] > WORKER_BYTES
    (parent,) = by_kind(last, "python-daemon")
    assert parent["peakRssBytes"] < 60 * MIB
    (jvm,) = by_kind(last, "jvm")
    assert jvm["pid"] == last["jvmPid"]
    for process in last["processes"] + last["atPeak"]["processes"]:
        assert sum(process["rows"].values()) + process["unattributedBytes"] == process["peakRssBytes"]

    # The peak moment is the tick at which the worker held its block, and it adds up.
    peak = last["atPeak"]
    held = [process for process in peak["processes"] if process["kind"] == "python-worker"]
    assert len(held) == 1
    assert held[0]["peakRssBytes"] > WORKER_BYTES
    assert (
        sum(process["peakRssBytes"] for process in peak["processes"]) + peak["unattributedBytes"] == peak["usedBytes"]
    )
    assert peak["activeTasks"] == [1]
    assert peak["regions"]["heap.storage"] == 11_000_003
    assert (last["sparkExecutionPeakBytes"], last["heapMaxBytes"]) == (22_000_007, 444_000_013)
    assert last["hostMemoryBytes"] > 1 << 30
    assert last["javaVersion"].startswith(java.version)
    assert last["agentLoaded"] == "agentpath"

    # Each has a larger maximum than the one before, and the last one comes at the end whatever it is.
    assert len(snapshots) >= 2
    peaks = [snapshot["atPeak"]["usedBytes"] for snapshot in snapshots[:-1]]
    assert peaks == sorted(peaks)
    assert outcome.task("task")["executor"]["jvmPid"] == last["jvmPid"]


def run_in_group(group, command):
    """Runs a command inside a memory control group of version 1."""
    script = f'echo $$ > "{group}/cgroup.procs" && exec "$@"'
    return ["sh", "-c", script, "sh", *command]


def remove_when_empty(group):
    """The worker notices its daemon's end a moment later."""
    for _ in range(100):
        if not (group / "cgroup.procs").read_text():
            break
        time.sleep(0.05)
    group.rmdir()


def test_a_real_limit_is_found_and_shown(java17, daemon, monkeypatch):
    group = pathlib.Path(f"/sys/fs/cgroup/memory/sparkmemprof-jvm-{os.getpid()}")
    try:
        group.mkdir()
        (group / "memory.limit_in_bytes").write_text("1468006400")
    except OSError as error:
        pytest.skip(f"cannot make a memory control group: {error} (it takes root and version 1)")
    try:
        real = subprocess.run

        def grouped(command, **options):
            return real(run_in_group(group, command) if "WatchedTree" in command else command, **options)

        monkeypatch.setattr(subprocess, "run", grouped)
        outcome = java17.run("WatchedTree", sys.executable, env=daemon)
        assert outcome.status == 0, outcome.err
        last = outcome.messages()[-1]["executor"]
        assert last["cgroupLimitBytes"] == 1_468_006_400
        assert last["cgroupShared"] is False
        peak = last["atPeak"]
        assert WORKER_BYTES < peak["usedBytes"] < 1_468_006_400
        assert (
            sum(process["peakRssBytes"] for process in peak["processes"]) + peak["unattributedBytes"]
            == peak["usedBytes"]
        )
    finally:
        remove_when_empty(group)
