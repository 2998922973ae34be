"""malloc of JNI libraries: blocks of odd sizes must come back to the byte, with the frames that took them."""

import pytest
from conftest import BUILD, sites, skip_without

KEPT, ZEROED, ALIGNED, MADE, GROWN, HELD = 50_331_653, 33_554_467, 19_999_999, 17_000_023, 23_000_009, 9_000_007
OUTSIDE, UNBOUND, BOUND, NARROW = 12_000_017, 7_000_003, 5_000_011, 3_000_029
LARGE, SMALL = 9_000_007, 300_007
KEEPERS, RUNTIMES, TASKS = 12_000_017, 7_000_003, 9_000_007
CHILDS_END = 7 << 8  # its exit status, as waitpid() has it
SMALL_BYTES = 2_000_000 * 1000
HOG = str(BUILD / "tests" / "jvm" / "libnative_hog.so")
NO_JNI_ERRORS = "-Xcheck:jni"


def run(java, *arguments, load="agentpath", agent="", jvm=(), collector=None):
    agent = agent if load == "agentpath" else None
    outcome = java.run("NativeHog", load, *arguments, agent=agent, jvm=jvm, env={"NATIVE_HOG": HOG})
    if collector:
        skip_without(java, collector, outcome)
    assert outcome.status == 0, outcome.err
    assert outcome.out.splitlines()[-1] == f"child: {CHILDS_END}"
    return outcome


def native_frames(site):
    return [frame for frame in site["frames"] if frame["language"] == "native"]


def names(outcome):
    """Functions that the executor told later, by module and offset."""
    told = [symbol for message in outcome.messages() for symbol in message.get("symbols", [])]
    return {(symbol["module"], symbol["offset"]): symbol["function"] for symbol in told}


def time_line(outcome):
    return [sample for message in outcome.messages() for sample in message.get("timeLine", [])]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("load", ["agentpath", "late"])
def test_blocks_exactly(java, load, when):
    outcome = run(java, when, load=load)
    assert outcome.err == ""
    task = outcome.task("task")

    def exactly(function):
        found = sites(task, "jvm-native", "NativeHog." + function)
        return sorted((site["allocatedBytes"], site["liveBytes"], site["liveAtPeakBytes"]) for site in found)

    # The first block of ZEROED bytes is the task's largest total: 50 MB stay, and 33 MB come and go twice.
    assert exactly("keep") == sorted([(KEPT, KEPT, KEPT), (ZEROED, 0, ZEROED)])
    assert exactly("zeroed") == [(ZEROED, 0, 0)]
    assert exactly("aligned") == [(ALIGNED, 0, 0)]
    assert exactly("made") == [(MADE, 0, 0)]
    assert exactly("resized") == [(MADE + GROWN, 0, 0)]
    assert exactly("critical") == [(HELD, 0, 0)]
    small = sites(task, "jvm-native", "NativeHog.small")
    assert sum(site["allocatedBytes"] for site in small) == pytest.approx(SMALL_BYTES, rel=0.035)  # 6 deviations
    assert sum(site["liveBytes"] for site in small) == 0
    assert sites(task, "jvm-native", "NativeHog.elsewhere") == [], "a library's own thread works for nobody"


def test_stacks_end_in_the_librarys_own_functions(java):
    outcome = run(java, "after")
    (kept,) = [
        site for site in sites(outcome.task("task"), "jvm-native", "NativeHog.keep") if site["allocatedBytes"] == KEPT
    ]
    languages = [frame["language"] for frame in kept["frames"]]
    assert languages == sorted(languages), "Java called native code"
    assert [frame["function"] for frame in kept["frames"] if frame["language"] == "java"][-3:] == [
        "NativeHog.main",
        "NativeHog.inTask",
        "NativeHog.keep",
    ]
    known = names(outcome)
    native = native_frames(kept)
    assert {frame["module"] for frame in native} == {HOG}
    assert [known[frame["module"], frame["offset"]] for frame in native] == ["Java_NativeHog_keep", "hog_keep"]
    (made,) = sites(outcome.task("task"), "jvm-native", "NativeHog.made")
    assert native_frames(made)[-1]["module"].rsplit("/", 1)[-1].startswith("libstdc++.so")


def test_threads_of_no_task(java):
    counters = run(java, "before").snapshots()[-1]["counters"]
    assert counters["noTaskNativeBytes: thread keeper-#"] == OUTSIDE
    assert counters["noTaskNativeBytes: native thread hog-runtime-#"] == UNBOUND
    assert counters["noTaskNativeBytes: native thread hog-bound-#"] == BOUND
    assert counters["noTaskNativeBytes: native thread hog-narrow-#"] == NARROW


def test_what_no_running_task_holds(java):
    outcome = java.run("NativeOutside", agent="", env={"NATIVE_HOG": HOG})
    assert outcome.status == 0, outcome.err
    held_kib = (KEEPERS + RUNTIMES + TASKS) // 1024
    assert held_kib < time_line(outcome)[-1]["native"] < held_kib + 16_384, "others have little"
    last = [message["leftNative"] for message in outcome.messages() if "leftNative" in message][-1]
    held = {site["bytes"]: site for site in last["sites"] if any(frame["module"] == HOG for frame in site["native"])}
    made = {size: (site["stageId"], site["thread"], site["tasks"]) for size, site in held.items()}
    assert made == {
        KEEPERS: (-1, "thread keeper-#", 0),
        RUNTIMES: (-1, "native thread hog-runtime-#", 0),
        TASKS: (3, "", 1),
    }
    assert "NativeHog.keep" in held[KEEPERS]["functions"]
    assert "NativeOutside.main" in held[TASKS]["functions"]
    assert held[RUNTIMES]["functions"] == [], "its thread is none of Java's"
    told = names(outcome)
    for site in held.values():
        innermost = site["native"][0]
        assert (innermost["function"] or told[innermost["module"], innermost["offset"]]) == "hog_keep"


@pytest.mark.parametrize("collector", ["Serial", "Parallel", "G1", "Z", "Shenandoah"])
def test_beside_collections(java, collector):
    """Threads that allocate in and out of critical regions while the heap is collected: nobody waits for the other."""
    jvm = [f"-XX:+Use{collector}GC", "-Xmx200m", NO_JNI_ERRORS]
    outcome = run(java, "after", "busy", jvm=jvm, collector=collector)
    assert "FATAL" not in outcome.out + outcome.err
    assert "Calling other JNI functions" not in outcome.out + outcome.err, "while it holds an array's memory"
    assert sum(site["liveBytes"] for site in sites(outcome.task("task"), "jvm-native", "NativeHog.keep")) == KEPT
    (held,) = sites(outcome.task("task"), "jvm-native", "NativeHog.critical")
    assert "NativeHog.inTask" in [frame["function"] for frame in held["frames"]], "named all the same"


def test_several_applications_in_one_jvm(java):
    outcome = java.run("NativeTwice", env={"NATIVE_HOG": HOG})
    assert outcome.status == 0, outcome.err
    large = [sites(outcome.task(f"task-{application}"), "jvm-native", "NativeHog.keep") for application in (0, 2)]
    assert [[site["allocatedBytes"] for site in found] for found in large] == [[], [LARGE]]
    (small,) = sites(outcome.task("task-small"), "jvm-native", "NativeHog.keep")
    assert (small["allocatedBytes"], small["sampled"]) == (SMALL, False), "more than four of the new intervals"
    (small,) = sites(outcome.task("task-small"), "jvm-offheap", "NativeTwice.main")
    assert (small["allocatedBytes"], small["sampled"]) == (SMALL + 1, False), "whole words"
    messages = outcome.messages()
    first = messages[: int(outcome.out.split("messages ")[1].split()[0])]  # the first application's
    ends = [[message["executor"] for message in part if "executor" in message][-1] for part in (first, messages)]
    said = ["sites of jvm-native" in snapshot["notAvailable"] for snapshot in ends]
    assert said == [True, False], "the last application measures them"


@pytest.mark.full
def test_jdk_11(java11):
    task = run(java11, "after").task("task")
    assert sum(site["liveBytes"] for site in sites(task, "jvm-native", "NativeHog.keep")) == KEPT


def test_switched_off(java):
    outcome = run(java, "after", agent="native.enabled=false")
    assert [site for site in outcome.task("task")["sites"] if site["origin"] == "jvm-native"] == []
    assert not [sample for sample in time_line(outcome) if "native" in sample]
    assert "native.enabled=false" in outcome.snapshots()[-1]["notAvailable"]["sites of jvm-native"]
