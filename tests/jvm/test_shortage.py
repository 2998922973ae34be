"""OutOfMemoryErrors of the JVM: what the agent tells of them before a JVM is gone, and when it lives on."""

import subprocess

import pytest
from conftest import BUILD, dump, skip_without

HEAP = "-Xmx120m"
EXITS = "-XX:+ExitOnOutOfMemoryError"
# A collector that works beside the application lets another thread run out first, now and then: either is as good.
BESIDE = ["Z", "Shenandoah"]
WAYS = [
    ("Serial", "small alone"),
    ("Parallel", "small alone"),
    ("G1", "small alone"),
    ("G1", "large"),
    ("Z", "small"),
    ("Shenandoah", "large"),
]
KEPT_BYTES = 50_000 * 1024
BETWEEN_LOOKS_AT_CLOCK = 4096  # objects that a walk counts (class_histogram.cc)


def run(java, way, collector="G1", *options, env=None, timeout=120, agent="interval=8k"):
    jvm = [HEAP, f"-XX:+Use{collector}GC", *options]
    outcome = java.run("HeapHog", *way.split(), agent=agent, jvm=jvm, env=env, timeout=timeout)
    skip_without(java, collector, outcome)
    return outcome


def shortages(outcome, nearly_full=False):
    """Of one that was told before the look and after it, the fuller."""
    told = [message["shortage"] for message in outcome.messages() if "shortage" in message]
    kind = [shortage for shortage in told if shortage["nearlyFull"] is nearly_full]
    return list({(shortage["timeMs"], shortage["taskAttemptId"]): shortage for shortage in kind}.values())


def words(outcome):
    """The envelopes in the file that the JVM has left beside its boxes."""
    (path,) = (outcome.folder / "boxes").glob("*.words")
    assert path.stat().st_mode & 0o777 == 0o600
    bytes_ = path.read_bytes()
    assert bytes_[:8] == b"MPWORDS2"
    pieces, at = [], 8
    while at < len(bytes_):
        size = int.from_bytes(bytes_[at : at + 4], "little")
        pieces.append(bytes_[at + 12 : at + 12 + size])
        at += 12 + size
    envelopes = []
    for piece in pieces[1:]:  # the first is the application's id
        path = outcome.folder / f"word-{len(envelopes)}"
        path.write_bytes(piece)
        envelopes.append(dump(path))
    return envelopes


def forget(folder):
    """What a run before has left."""
    for path in [*(folder / "boxes").glob("*.words"), *folder.glob("message-*")]:
        path.unlink()


def run_that_exits(java, way, collector="G1"):
    outcome = run(java, way, collector, EXITS)
    assert outcome.status == 3, outcome.err
    return outcome


def shortage_of(envelopes):
    """The first: of a JVM that an error ends, that one; other threads may have met errors before it."""
    first, *others = [envelope["shortage"] for envelope in envelopes if "shortage" in envelope]
    assert not [other for other in others if other["endsJvm"]]
    return first


def demand_shortage(shortage, function, *, ends):
    assert shortage["endsJvm"] is ends
    assert (shortage["taskAttemptId"], shortage["stageId"], shortage["partition"]) == (1, 3, 1)
    assert shortage["thread"] == "main"
    assert function in [frame["function"] for frame in shortage["frames"]]
    assert shortage["regions"]["heap.storage"] == 11_000_003
    assert not shortage["cutShort"]
    held = {row["name"]: (row["objects"], row["bytes"]) for row in shortage["classes"]}
    objects, bytes_ = held["byte[]"]
    assert 50_000 <= objects < 65_000, "some ten thousand are the JVM's own"
    assert KEPT_BYTES <= bytes_ < KEPT_BYTES + 4_000_000
    assert sum(row["bytes"] for row in shortage["classes"]) + shortage["otherBytes"] == shortage["totalBytes"]
    return held


def kept_small(heap):
    """The sites of the hog's small blocks; of one sampled by chance the JVM may know no frames."""
    return [site for site in heap["sites"] if site["frames"] and site["frames"][-1]["function"] == "HeapHog.keepSmall"]


def demand_retained(shortage):
    heap = shortage["retained"]
    assert heap["collection"] == "the collection before an OutOfMemoryError"
    found = kept_small(heap)
    assert sum(site["bytes"] for site in found) == pytest.approx(KEPT_BYTES, rel=0.1)  # 7.9 standard deviations
    assert found[0]["stageId"] == 3


@pytest.mark.parametrize("collector", ["Serial", "G1"])
def test_an_error_that_is_caught(java, collector):
    outcome = run(java, "large", collector)  # of small ones, any other thread may find no room first
    assert outcome.status == 0, outcome.err
    assert [line for line in outcome.out.splitlines() if "[jvmti]" not in line] == ["caught", str(KEPT_BYTES)]
    (shortage,) = shortages(outcome)
    demand_shortage(shortage, "HeapHog.askForLarge", ends=False)
    assert shortage["error"] in ("Java heap space", "GC overhead limit exceeded")
    demand_retained(shortage)
    left = words(outcome)  # it may have ended the JVM, a moment later
    assert shortage_of(left) == shortage
    assert [envelope["task"]["taskAttemptId"] for envelope in left if "task" in envelope] == [1]


def test_a_walk_that_takes_too_long_is_given_up(java):
    """Its thread's clock runs ahead, so that its time is over when it is looked at for the second time."""
    fast = {"LD_PRELOAD": str(BUILD / "tests" / "jvm" / "libfast_walker_clock.so")}
    outcome = run(java, "large", "Serial", env=fast)
    assert outcome.status == 0, outcome.err
    assert "caught" in outcome.out
    (shortage,) = shortages(outcome)
    assert shortage["cutShort"] is True
    assert shortage["totalObjects"] == BETWEEN_LOOKS_AT_CLOCK
    assert 0 < sum(row["objects"] for row in shortage["classes"]) <= BETWEEN_LOOKS_AT_CLOCK
    assert 0 < shortage["totalBytes"] < KEPT_BYTES
    assert sum(row["bytes"] for row in shortage["classes"]) + shortage["otherBytes"] == shortage["totalBytes"]
    assert "HeapHog.askForLarge" in [frame["function"] for frame in shortage["frames"]]
    demand_retained(shortage)  # which needs no walk
    left = words(outcome)
    assert shortage_of(left) == shortage
    assert [envelope["task"]["taskAttemptId"] for envelope in left if "task" in envelope] == [1]
    assert [path.suffix for path in (outcome.folder / "boxes").iterdir()] == [".words"], "nothing else is left"


def test_an_error_while_a_task_writes_its_result_is_the_tasks(java17):
    """No listener tells of that time, but Spark's name for the thread does."""
    outcome = run(java17, "after-result alone", "Serial", "-Xmx170m")
    assert outcome.status == 0, outcome.err
    errors = [envelope["shortage"] for envelope in words(outcome) if "shortage" in envelope]
    told = {error["thread"]: (error["taskAttemptId"], error["stageId"]) for error in errors}
    assert told["Executor task launch worker for task # in stage # (TID #)"] == (41, 5)
    assert told["main"][0] == 1


@pytest.mark.parametrize(("way", "of_jvm"), [("after-jvms", True), ("after-other", False)])
def test_an_error_just_before_does_not_take_the_look(java, way, of_jvm):
    """Of a thread of the JVM's own, which needs little; and of another one, by whose look the heap is half empty."""
    outcome = run(java, f"{way} alone", "Serial", "-Xmx170m")
    assert outcome.status == 0, outcome.err
    told = {
        envelope["shortage"]["thread"]: envelope["shortage"] for envelope in words(outcome) if "shortage" in envelope
    }
    assert (told["other"]["ofJvm"], told["other"]["taskAttemptId"]) == (of_jvm, -1)
    assert bool(told["other"]["classes"]) is not of_jvm
    assert told["main"]["ofJvm"] is False
    demand_shortage(told["main"], "HeapHog.fill", ends=False)
    demand_retained(told["main"])


@pytest.mark.parametrize(
    ("way", "words", "function"),
    [
        ("classes", ("Metaspace", "Compressed class space"), "HeapHog.defineClasses"),
        ("threads", ("unable to create native thread",), "HeapHog.startThread"),
    ],
)
def test_errors_of_other_pools(java, way, words, function):
    outcome = run(java, way, "Serial", "-XX:MaxMetaspaceSize=20m")
    assert outcome.status == 0, outcome.err
    assert "caught" in outcome.out
    # Other threads may need a class at that moment.
    (shortage,) = [each for each in shortages(outcome) if each["taskAttemptId"] == 1]
    assert shortage["error"].startswith(words)
    assert (shortage["stageId"], shortage["endsJvm"]) == (3, False)
    assert not list((outcome.folder / "boxes").glob("*.words"))
    assert function in [frame["function"] for frame in shortage["frames"]]
    assert (shortage["classes"], shortage["totalBytes"]) == ([], 0), "the heap is not to blame"
    assert shortage.get("retained") is None


def test_an_array_longer_than_any_may_be(java):
    """For it a JVM collects nothing, so nobody knows what is alive then; and the heap need not be full."""
    outcome = run(java, "array", "Serial")
    assert outcome.status == 0, outcome.err
    (shortage,) = shortages(outcome)
    assert shortage["error"].startswith("Requested array size exceeds VM limit")
    assert "HeapHog.askForArray" in [frame["function"] for frame in shortage["frames"]]
    assert shortage.get("retained") is None
    assert shortage["classes"] == []


def test_a_report_that_has_begun_is_ended_before_the_profiler_stops(java):
    """As where one thread's error makes Spark end the JVM, and another thread has met one just before."""
    slow = {"LD_PRELOAD": str(BUILD / "tests" / "jvm" / "libslow_renamer.so")}
    outcome = run(java, "stops alone", "Serial", env=slow)
    assert outcome.status == 0, outcome.err
    shortage = shortage_of(words(outcome))
    demand_retained(shortage)
    assert shortage["classes"]
    assert [envelope["task"]["taskAttemptId"] for envelope in words(outcome) if "task" in envelope] == [1]


@pytest.mark.parametrize(("collector", "way"), WAYS)
def test_last_words_of_a_jvm_that_exits_on_an_error(java, collector, way):
    outcome = run_that_exits(java, way, collector)
    assert "Terminating due to java.lang.OutOfMemoryError" in outcome.out
    assert not list(outcome.folder.glob("hs_err*"))
    envelopes = words(outcome)
    shortage = shortage_of(envelopes)
    assert shortage["classes"][0]["bytes"] > 0
    (task,) = [envelope["task"] for envelope in envelopes if "task" in envelope]
    assert task["taskAttemptId"] == 1
    if collector in BESIDE:
        return
    demand_shortage(shortage, "HeapHog.askForLarge" if way == "large" else "HeapHog.fill", ends=True)
    demand_retained(shortage)
    if way == "large":  # there is room enough left for the sender
        assert [sent["totalBytes"] for sent in shortages(outcome)] == [shortage["totalBytes"]]


def test_many_threads_run_out_at_once(java):
    outcome = run_that_exits(java, "storm alone")
    shortage = shortage_of(words(outcome))
    assert shortage["taskAttemptId"] == 1, "what a task's threads do is its own"
    forget(java.folder)
    caught = run(java, "storm")
    assert caught.status == 0, caught.err
    told = [shortage for shortage in shortages(caught) if shortage["taskAttemptId"] == 1]
    assert len(told) >= 1, f"of very many errors the first: {caught.err}"
    assert not any(shortage["endsJvm"] for shortage in told)


def test_an_exit_that_has_begun_is_not_overtaken(java):
    outcome = run(java, "halt", "G1", EXITS)
    assert outcome.status == 3, outcome.err
    shortage = shortage_of(words(outcome))
    assert (shortage["thread"], shortage["endsJvm"]) == ("other", True)
    assert shortage["classes"][0]["bytes"] >= KEPT_BYTES


@pytest.mark.parametrize("collector", ["Serial", "Parallel"])
def test_an_exit_beside_collections(java, collector):
    """They use objects that exit() destroys."""
    outcome = run(
        java, "churn", collector, EXITS, env={"LD_PRELOAD": str(BUILD / "tests" / "jvm" / "libslow_leaver.so")}
    )
    assert outcome.status == 3, outcome.err
    assert shortage_of(words(outcome))["endsJvm"] is True


@pytest.mark.full
def test_a_jvm_that_lives_on_leaves_nothing(java17):
    """It costs a minute, because an error that is younger may be what ends the JVM."""
    outcome = run(java17, "lives", timeout=300)
    assert outcome.status == 0, outcome.err
    assert shortages(outcome)
    assert not list((outcome.folder / "boxes").glob("*.words"))


def test_an_error_of_which_no_message_left(java):
    """Spark's handler ends an executor from outside, and in a full heap nothing may have been sent before."""
    dead = run(java, "exit")
    assert dead.status == 52, dead.err
    assert not dead.messages()
    (left,) = (dead.folder / "boxes").glob("*.words")
    shortage = shortage_of(words(dead))
    demand_shortage(shortage, "HeapHog.askForLarge", ends=False)
    alive = run(java, "none")
    assert not left.exists()
    assert shortages(alive) == [shortage]


def test_other_exits_with_the_same_code_pass(java):
    """System.exit(3) and a JVM whose agent never started: nothing is left behind, and the code stays."""
    outcome = java.run("HeapHog", "small", agent="enabled=false", jvm=[HEAP, EXITS])
    assert outcome.status == 3
    assert not (outcome.folder / "boxes").exists()


# It stops the JVM, in which nothing has failed: it isn't walked unless that is asked for.
@pytest.mark.parametrize(("looks", "walked"), [("", False), (",heap.looks=false", False), (",heap.looks=true", True)])
def test_a_heap_that_stays_nearly_full_is_looked_at_once(java, looks, walked):
    agent = f"interval=8k{looks}"
    outcome = run(java, "nearly", "G1", "-Xmx200m", agent=agent)
    assert outcome.status == 0, outcome.err
    (look,) = shortages(outcome, nearly_full=True)
    assert (look["endsJvm"], look["error"], look["taskAttemptId"]) == (False, "", -1)
    kept = int(outcome.out.split()[-1])
    held = [row["bytes"] for row in look["classes"] if row["name"] == "byte[]"]
    assert [kept <= bytes_ < kept + 4_000_000 for bytes_ in held] == [True] * walked
    found = kept_small(look["retained"])
    assert sum(site["bytes"] for site in found) == pytest.approx(kept, rel=0.1)


def test_of_a_jvm_that_is_killed_then_the_look_is_left(java):
    outcome = run(java, "nearly-killed", "G1", "-Xmx200m")
    assert outcome.status == -9, outcome.err
    (look,) = [envelope["shortage"] for envelope in words(outcome)]
    assert (look["nearlyFull"], look["error"]) == (True, "")
    assert kept_small(look["retained"])


def test_no_look_at_the_heap_where_none_is_wanted(java):
    outcome = java.run("HeapHog", "large", agent="interval=16k,heap.looks=false", jvm=[HEAP, EXITS])
    assert outcome.status == 3, outcome.err
    shortage = shortage_of(words(outcome))
    assert (shortage["classes"], shortage["totalBytes"]) == ([], 0)
    assert "HeapHog.askForLarge" in [frame["function"] for frame in shortage["frames"]]
    # What the collections before the error have left, though no notification of them may have come yet.
    assert KEPT_BYTES < shortage["regions"]["heap.usedAfterGc"] < KEPT_BYTES + 12_000_000


def test_checked_jni_has_nothing_to_say(java):
    outcome = run(java, "large", "G1", "-Xcheck:jni")
    assert shortages(outcome)
    assert "WARNING: JNI" not in outcome.out + outcome.err
    assert "FATAL" not in outcome.out + outcome.err


def test_the_next_jvm_sends_what_the_dead_one_left(java):
    dead = run(java, "large", "G1", EXITS)  # the hog's thread, and no other, finds no room
    (left,) = (dead.folder / "boxes").glob("*.words")
    for path in dead.folder.glob("message-*"):
        path.unlink()
    torn = left.with_name("2147483646.words")
    torn.write_bytes(left.read_bytes()[:-1])
    size = subprocess.run(["stat", "-c", "%s", left], check=True, capture_output=True, text=True).stdout
    assert int(size) > 1000
    alive = run(java, "none")
    assert not left.exists()
    assert torn.exists(), "a torn file is left to be looked at"
    told = [message["executor"].get("notAvailable", {}) for message in alive.messages() if "executor" in message]
    assert "is torn" in told[-1][f"the last words in {torn}"]
    found = [shortage for shortage in shortages(alive) if shortage["endsJvm"]]
    assert [shortage["taskAttemptId"] for shortage in found] == [1]
