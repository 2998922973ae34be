"""The watcher: peaks of the JVM and of Python processes below it, and of the container."""

import pathlib
import re
import subprocess
import sys

import memory_cgroups
import processes
import pytest
from namespaces import mounted

MIB = 1 << 20
WORKER_BYTES = 157_286_413
GARBAGE_COLLECTIONS = 3  # at the least, as WatchedTree.java asks for them

# Stands in for PySpark's daemon: forks one worker, which takes a known amount of memory and says so.
DAEMON = f"""
import os, time
daemon = os.getpid()
if os.fork() == 0:
    block = bytearray(os.urandom(1)) * {WORKER_BYTES}
    if os.path.exists("meminfo.then"):
        with open("meminfo", "w") as meminfo:
            meminfo.write(open("meminfo.then").read())
    if os.path.exists("limit.then"):
        limit, path = open("limit.then").read().split()
        open(path, "w").write(limit)
    open("held", "w").close()
    while os.getppid() == daemon:
        time.sleep(0.05)
        if os.path.exists("release"):
            block = None
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


def test_peaks_of_every_process_with_its_rows(java, daemon):
    outcome = java.run("WatchedTree", sys.executable, env=daemon)
    assert outcome.status == 0, outcome.err
    snapshots = outcome.snapshots()
    last = snapshots[-1]

    (worker,) = by_kind(last, "python-worker")
    assert WORKER_BYTES < worker["peakRssBytes"] < WORKER_BYTES + 40 * MIB
    assert worker["rows"]["RssAnon"] > WORKER_BYTES
    (parent,) = by_kind(last, "python-daemon")
    assert parent["peakRssBytes"] < 60 * MIB
    (jvm,) = by_kind(last, "jvm")
    assert jvm["pid"] == last["jvmPid"]
    for process in last["atPeak"]["processes"]:
        assert set(process["rows"]) == {"RssAnon", "RssFile", "RssShmem"}
    assert last["atPeak"]["sharedBytes"] > 1 * MIB  # Python's own libraries, in daemon and worker

    # The peak moment is the tick at which the worker held its block.
    peak = last["atPeak"]
    if "cgroupLimitBytes" not in last:  # else use is the cgroup's, and what no process explains is the rest of it
        # Processes are read again when use has grown by a hundredth; what came since then is unattributed.
        grown = peak["usedBytes"] - sum(process["peakRssBytes"] for process in peak["processes"])
        assert 0 <= grown == peak.get("unattributedBytes", 0) <= peak["usedBytes"] // 100
    assert 0 <= peak.get("sharedAgeMs", 0) < 60_000
    held = [process for process in peak["processes"] if process["kind"] == "python-worker"]
    assert len(held) == 1
    assert held[0]["peakRssBytes"] > WORKER_BYTES
    assert peak["activeTasks"] == [1]
    assert peak["regions"]["heap.storage"] == 11_000_003
    assert peak["regions"]["storage.unroll"] == 3_000_017, "as Spark said last"
    assert last["sparkUnrollPeakBytes"] == 7_000_003
    assert 0 < last["gc"]["stoppedMs"] < last["gc"]["watchedMs"]
    assert (last["sparkExecutionPeakBytes"], last["heapMaxBytes"]) == (22_000_007, 444_000_013)
    assert 1 << 20 < last["last"]["hostAvailableBytes"] < last["hostMemoryBytes"]
    assert last["javaVersion"].startswith(java.version)
    assert last["agentLoaded"] == "agentpath"

    # Each has a larger maximum than the one before, and the last one comes at the end whatever it is.
    assert len(snapshots) >= 2
    peaks = [snapshot["atPeak"]["usedBytes"] for snapshot in snapshots[:-1]]
    assert peaks == sorted(peaks)
    assert outcome.task("task")["executor"]["jvmPid"] == last["jvmPid"]


@pytest.mark.parametrize(("switch", "signal"), [("+", "-TERM"), ("-", "-9")])
def test_whether_the_jvm_ends_itself_on_an_error_is_known(java, daemon, switch, signal):
    options = [
        f"-XX:{switch}ExitOnOutOfMemoryError",
        "-XX:OnOutOfMemoryError=date",
        f"-XX:OnOutOfMemoryError=kill {signal} %p",
    ]
    outcome = java.run("WatchedTree", sys.executable, env=daemon, jvm=options)
    assert outcome.status == 0, outcome.err
    snapshot = outcome.snapshots()[-1]
    assert snapshot["exitsOnOutOfMemory"] == (switch == "+")
    assert snapshot["killsItselfOnOutOfMemory"] == (signal == "-9")


def kib(size):
    return -(-size // 1024)


def test_time_line_of_an_executor(java, daemon):
    outcome = java.run("WatchedTree", sys.executable, env=daemon)
    assert outcome.status == 0, outcome.err
    messages = [message["timeLine"] for message in outcome.messages() if "timeLine" in message]
    samples = [sample for message in messages for sample in message]
    times = [sample["timeMs"] for sample in samples]
    assert times == sorted(set(times))

    # The block is there, under its worker's pid, in a sample whose parts add up to what was used (no limit: RSS).
    (worker,) = by_kind(outcome.snapshots()[-1], "python-worker")
    fullest = max(samples, key=lambda sample: sample["python.workers"])
    assert kib(WORKER_BYTES) < fullest["python.workers"] < kib(WORKER_BYTES + 40 * MIB)
    assert fullest["workers"] == {str(worker["pid"]): fullest["python.workers"]}
    assert samples[0]["python.workers"] < kib(WORKER_BYTES)
    if "limit" not in fullest:
        assert fullest["used"] == fullest["jvm"] + fullest["python.workers"] + fullest["python.other"]

    # What Spark said last, and its task.
    assert fullest["heap.storage"] == kib(11_000_003)
    assert fullest["heap.execution"] == kib(22_000_007)
    assert fullest["heap.committed"] == kib(55_000_021)
    assert (fullest["runningTasks"], fullest["stages"]) == (1, {"3": 1})
    assert sum(sample["taskStarts"] for sample in samples) == 1
    assert sum(sample["pauses"] for sample in samples) >= GARBAGE_COLLECTIONS
    assert all((sample["pauses"] > 0) == (sample["stoppedMicros"] > 0) for sample in samples)
    reasons = outcome.messages()[-1].get("executor", {}).get("notAvailable", {})
    assert "pressure" in fullest or "pressure on memory over time" in reasons
    assert fullest.get("pressure", 0) <= 10_000


def test_heap_in_use_is_what_a_collection_has_left(java, daemon):
    kept, own = 33_000_011, 12 * MIB
    outcome = java.run("WatchedTree", sys.executable, env=daemon)
    assert outcome.status == 0, outcome.err
    last = outcome.snapshots()[-1]
    assert kept < last["heapAfterGc"]["bytes"] < kept + own, "none of its 99 MB of garbage"
    assert last["heapAfterGc"]["collection"].endswith("(System.gc())")
    assert kept < last["heapAfterGcPeak"]["bytes"] < kept + own
    assert last["heapAfterGc"]["timeMs"] <= last["takenMs"]
    samples = [sample for message in outcome.messages() for sample in message.get("timeLine", [])]
    paused = next(index for index, sample in enumerate(samples) if sample["pauses"])
    assert paused > 0
    assert [sample["heap.usedAfterGc"] for sample in samples[:paused] if "heap.usedAfterGc" in sample] == []
    assert kib(kept) < samples[-1]["heap.usedAfterGc"] < kib(kept + own)


def test_a_real_limit_is_found_and_shown(java17, daemon):
    with memory_cgroups.container(1_468_006_400) as group:
        outcome = java17.run("WatchedTree", sys.executable, env=daemon, prefix=memory_cgroups.entering(group))
        assert outcome.status == 0, outcome.err
        last = outcome.snapshots()[-1]
        assert last["cgroupLimitBytes"] == 1_468_006_400
        assert last["cgroupShared"] is False
        peak = last["atPeak"]
        assert WORKER_BYTES < peak["usedBytes"] < 1_468_006_400


@pytest.mark.parametrize("counted", ["true", "false"])
def test_a_group_around_several_containers_is_not_the_executors(java17, daemon, counted):
    """A NodeManager of YARN that makes no groups: what others use in its own doesn't count against a grant."""
    fill = f"block = bytearray(b'x') * {3 * WORKER_BYTES}; print(len(block), flush=True); input()"
    with memory_cgroups.container(1_468_006_400) as group:
        words = [*memory_cgroups.entering(group), sys.executable, "-c", fill]
        beside = processes.start(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            assert beside.stdout.readline(), "it holds its block"
            agent = f"container.bytes=600m,container.counted={counted}"
            prefix = memory_cgroups.entering(group)
            outcome = java17.run("WatchedTree", sys.executable, agent=agent, env=daemon, prefix=prefix)
        finally:
            processes.kill_session(beside)
    assert outcome.status == 0, outcome.err
    last = outcome.snapshots()[-1]
    peak = last["atPeak"]
    if counted == "true":
        assert "cgroupLimitBytes" not in last
        assert (last["hostMemoryBytes"], last["hostIsGroup"]) == (1_468_006_400, True), "the group is its host"
        assert last["last"]["hostAvailableBytes"] < 1_468_006_400 - 3 * WORKER_BYTES
        assert peak["usedBytes"] < sum(process["peakRssBytes"] for process in last["processes"]) + WORKER_BYTES
    else:
        assert (last["cgroupLimitBytes"], last["hostIsGroup"]) == (1_468_006_400, False)
        assert peak["usedBytes"] > 4 * WORKER_BYTES


def test_a_limit_that_is_set_later_on_another_level_is_of_that_group(java17, daemon):
    """A pod that is resized while it runs: what others use around it doesn't count against its own limit."""
    fill = f"block = bytearray(b'x') * {3 * WORKER_BYTES}; print(len(block), flush=True); input()"
    with memory_cgroups.container(1_468_006_400) as outer, memory_cgroups.group_within(outer, "inner") as inner:
        words = [*memory_cgroups.entering(outer), sys.executable, "-c", fill]
        beside = processes.start(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            assert beside.stdout.readline(), "it holds its block"
            java17.folder.mkdir(parents=True, exist_ok=True)
            (java17.folder / "limit.then").write_text(f"943718400 {inner}/memory.limit_in_bytes")
            outcome = java17.run("WatchedTree", sys.executable, env=daemon, prefix=memory_cgroups.entering(inner))
        finally:
            processes.kill_session(beside)
    assert outcome.status == 0, outcome.err
    last = outcome.snapshots()[-1]
    assert last["cgroupLimitBytes"] == 943_718_400
    own = sum(process["peakRssBytes"] for process in last["processes"])
    assert WORKER_BYTES < last["last"]["usedBytes"] < own + 2 * WORKER_BYTES
    assert WORKER_BYTES < last["atPeak"]["usedBytes"] < own + 2 * WORKER_BYTES, "others' were in the group around it"


def test_another_executor_in_the_group_shares_the_limit(java17, daemon):
    """A program with an executor's words stands for it."""
    words = "org.apache.spark.executor.CoarseGrainedExecutorBackend --executor-id 7"
    beside = ["sh", "-c", f'"$0" -c "import time; time.sleep(600)" {words} & "$@"; kill $!', sys.executable]
    with memory_cgroups.container(1_468_006_400) as group:
        prefix = [*memory_cgroups.entering(group), *beside]
        outcome = java17.run("WatchedTree", sys.executable, env=daemon, prefix=prefix)
    assert outcome.snapshots()[-1]["cgroupShared"] is True, outcome.err


def test_a_fall_is_told_though_it_is_no_peak(java17, daemon):
    """Nine seconds: what an executor has let go of must not count when it dies later, even if no task runs."""
    limit = 1_048_576_000
    with memory_cgroups.container(limit) as group:
        prefix = memory_cgroups.entering(group)
        outcome = java17.run("WatchedTree", sys.executable, "lets go", env=daemon, prefix=prefix)
    assert outcome.status == 0, outcome.err
    sent = outcome.snapshots()[:-1]  # the last one comes at the end, whatever it is
    peak = max(snapshot["atPeak"]["usedBytes"] for snapshot in sent)
    # A fall that is seen in two steps is told once, if the second is less than a tenth of the limit.
    assert sent[-1]["last"]["usedBytes"] < peak - WORKER_BYTES + limit // 10


@pytest.mark.parametrize(("left", "warned"), [(0.05, True), (0.45, False)])
def test_a_host_that_runs_out_of_memory_is_warned_of(java17, daemon, left, warned):
    """Nothing else limits the executor. /proc/meminfo is the test's own: it can't fill a whole host."""
    real = pathlib.Path("/proc/meminfo").read_text()
    total = int(re.search(r"^MemTotal: +(\d+) kB$", real, re.MULTILINE)[1])
    before, then = total // 2, int(total * left)
    java17.folder.mkdir(parents=True, exist_ok=True)
    for name, available in [("meminfo", before), ("meminfo.then", then)]:
        text = re.sub(r"^MemAvailable: .*$", f"MemAvailable: {available:10} kB", real, flags=re.MULTILINE)
        (java17.folder / name).write_text(text)
    prefix = mounted(f"umount -a -l -t cgroup,cgroup2; mount --bind '{java17.folder}/meminfo' /proc/meminfo")
    outcome = java17.run("WatchedTree", sys.executable, env=daemon, prefix=prefix)
    assert outcome.status == 0, outcome.err
    last = outcome.snapshots()[-1]
    assert "cgroupLimitBytes" not in last
    assert last["last"]["hostAvailableBytes"] == then * 1024
    # The task goes on until the JVM ends: its profile is sent only as last words.
    early = [message["task"]["taskAttemptId"] for message in outcome.messages() if "task" in message]
    assert set(early) == ({1} if warned else set())
