"""The agent's life in a JVM: it never harms it, whatever is missing and however it ends."""

import json
import re

import pytest
from conftest import BUILD, LIBRARY, REPO, sites, total

RIVAL = BUILD / "tests" / "jvm" / "libgrabbing_agent.so"
FIXTURE = BUILD / "tests" / "cpp" / "core" / "symbols" / "libsymbols_fixture.so"
WRITER = BUILD / "tests" / "jvm" / "box_writer"


@pytest.mark.parametrize(("ending", "status"), [("return", 0), ("exit", 5), ("halt", 6), ("term", 143)])
def test_every_ending_with_busy_threads(java, ending, status):
    outcome = java.run("Endings", ending, jvm=["-XX:MaxDirectMemorySize=64m"])
    assert outcome.status == status
    assert outcome.err == ""
    if ending != "halt":  # shutdown hooks ran: the last snapshot was there for them
        assert outcome.snapshots()[-1]["jvmPid"] > 0


def test_without_start_the_agent_does_nothing(java17):
    outcome = java17.run("Endings", "idle", jvm=["-XX:MaxDirectMemorySize=64m"])
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    assert list(outcome.folder.iterdir()) == []


def test_another_agent_holds_heap_sampling(java17):
    outcome = java17.run("UnsafeBlocks", agent=None, jvm=[f"-agentpath:{RIVAL}", f"-agentpath:{LIBRARY}"])
    assert outcome.status == 0, outcome.err
    assert outcome.err == ""
    task = outcome.task("task")
    assert not [site for site in task["sites"] if site["origin"] == "jvm-heap"]
    assert [site for site in task["sites"] if site["origin"] == "jvm-offheap"]  # the rest goes on
    assert "another agent" in task["executor"]["notAvailable"]["JVM heap samples"]
    assert task["jvmIntervalBytes"] == 0


@pytest.mark.parametrize("load", ["agentpath", "late"])
@pytest.mark.parametrize("program", ["TaskThreads", "DirectBuffers"])
def test_the_jvm_finds_no_fault_with_our_calls(java17, program, load):
    outcome = java17.run(program, load, agent="" if load == "agentpath" else None, jvm=["-Xcheck:jni"])
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")


def test_the_jvm_finds_no_fault_with_sessions_and_store(java17):
    outcome = java17.run("PythonSessions", str(WRITER), str(FIXTURE), "closed", jvm=["-Xcheck:jni"])
    assert (outcome.status, outcome.err) == (0, "")
    outcome = java17.run("StoreRoundTrip", jvm=["-Xcheck:jni"])
    assert (outcome.status, outcome.err) == (0, "")
    assert "WARNING" not in outcome.out


def test_from_allocations_to_the_report(java):
    outcome = java.run("StoreRoundTrip")
    assert outcome.status == 0, outcome.err
    assert "ingest: null" in outcome.out
    assert re.search(r"garbage: \S+", outcome.out)
    assert "garbage: null" not in outcome.out
    assert "awaits: false" in outcome.out
    assert "action: true" in outcome.out, "an executor was killed"
    assert "headline: Executor 7 " in outcome.out
    assert "whole: true" in outcome.out
    assert "stream: no room after 2" in outcome.out, "the stream's own exception, and nothing is written after it"
    assert "closed: true, 0" in outcome.out
    version = re.search(r"project\(sparkmemprof VERSION (\S+)", (REPO / "CMakeLists.txt").read_text()).group(1)
    assert f"version: {version}" in outcome.out

    report = json.loads((outcome.folder / "report.json").read_text(encoding="utf-8"))
    assert report["application"]["name"] == "café 🐘\0� job"
    (action,) = report["driver"]["actions"]
    assert action["resultBytes"] == 77, "without the profile that came beside it"
    (stage,) = report["stages"]
    top = stage["sites"][0]
    assert top["origin"] == "jvm-heap"
    assert top["frames"][-1]["function"] == "StoreRoundTrip.allocate"
    assert top["allocatedBytes"] == pytest.approx(500_000 * 1016, rel=0.06)  # 7.5 standard deviations
    assert b"StoreRoundTrip.allocate" in (outcome.folder / "report.html").read_bytes()
    assert "StoreRoundTrip" in (outcome.folder / "report.txt").read_text(encoding="utf-8")


def test_a_second_application_in_the_same_jvm_begins_anew(java17):
    outcome = java17.run("Restart")
    assert outcome.status == 0, outcome.err
    task = outcome.task("task")
    assert task["jvmIntervalBytes"] == 16384, "its own, not the first one's"
    (site,) = sites(task, "jvm-heap", "Restart.allocate")
    assert site["allocatedBytes"] == pytest.approx(300_000 * 1016, rel=0.05)  # 6.8 standard deviations
    assert len(outcome.messages()) >= 2


def test_a_second_application_has_only_its_own(java17):
    first, between, second = 170_000_027, 50_331_653, 33_554_467
    outcome = java17.run("SecondApplication")
    assert outcome.status == 0, outcome.err
    assert not (outcome.folder / "straggler").exists()  # nor did it end the new task of that id
    task = outcome.task("task")
    (site,) = sites(task, "jvm-offheap", "SecondApplication.second")
    assert (site["allocatedBytes"], site["liveBytes"], site["liveAtPeakBytes"]) == (second, second, second)
    assert total(task, "jvm-offheap") == second
    assert not sites(task, "jvm-heap", "SecondApplication.idle")

    messages = outcome.messages()
    count = int(re.search(r"messages of the first: (\d+)", outcome.out).group(1))
    ended = [message["executor"] for message in messages[:count] if "executor" in message][-1]
    last = outcome.snapshots()[-1]
    assert first <= ended["offheapPeakBytes"]
    assert second <= last["offheapPeakBytes"] < second + between  # what came while nothing ran isn't followed
    (before,), (after,) = [
        [process["peakRssBytes"] for process in snapshot["processes"] if process["kind"] == "jvm"]
        for snapshot in (ended, last)
    ]
    assert after < before - (first - between - second) / 2, "the kernel's maximum is that of both"
    assert "noTaskHeapBytes: thread idler-#" in ended["counters"]
    assert "noTaskHeapBytes: thread idler-#" not in last["counters"]


@pytest.mark.full
def test_jdk_11_ends_as_it_would_without_us(java11):
    """Docs/decisions/0316: the change of state by which other JVMs tell their last words ends this one with SIGABRT."""
    exits = ["-Xmx120m", "-XX:+ExitOnOutOfMemoryError"]
    for _ in range(5):
        outcome = java11.run("HeapHog", "storm", "alone", agent="interval=8k", jvm=exits)
        assert outcome.status == 3, outcome.err
        assert not list(outcome.folder.glob("hs_err*"))
    outcome = java11.run("DirectBuffers", "agentpath")
    assert outcome.status == 0, outcome.err
    assert sum(site["liveBytes"] for site in sites(outcome.task("task"), "jvm-offheap", "DirectBuffers.third")) > 0
    outcome = java11.run("Retained", "50000", "full", "small", jvm=exits[1:])
    reasons = outcome.snapshots()[-1]["notAvailable"]
    assert reasons["last words before ExitOnOutOfMemoryError"] == "they take JDK 17 or later"
    assert "the JVM's heap without a bias" in reasons
