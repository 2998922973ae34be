"""Python sessions read out of black boxes: joined with the task, attributed to UDFs, named, acknowledged."""

from conftest import BUILD

FIXTURE = BUILD / "tests" / "cpp" / "core" / "symbols" / "libsymbols_fixture.so"
WRITER = BUILD / "tests" / "jvm" / "box_writer"
BYTES = 123_456_789


def functions(site):
    return [frame["function"] for frame in site["frames"]]


def named(outcome):
    """Names that came later, by (module, offset)."""
    symbols = [symbol for message in outcome.messages() for symbol in message.get("symbols", [])]
    return {(symbol["module"], symbol["offset"]): symbol["function"] for symbol in symbols}


def test_a_session_becomes_part_of_its_task(java17):
    outcome = java17.run("PythonSessions", str(WRITER), str(FIXTURE), "closed")
    assert outcome.status == 0, outcome.err
    task = outcome.task("task")
    assert (task["partial"], task["stageId"], task["pythonIntervalBytes"]) == (False, 3, 65536)
    (session,) = task["sessions"]
    assert session["closed"]
    assert session["checksumOk"]
    assert session["pythonVersion"] == "3.11.7"
    assert session["allocatedBytes"] == BYTES + 90_007

    python = [site for site in task["sites"] if site["origin"] == "python"]
    big, small = python
    assert (big["allocatedBytes"], big["liveAtPeakBytes"], big["sampled"], big["variance"]) == (BYTES, BYTES, False, 0)
    assert functions(big)[:3] == ["main", "aggregate", "total"]
    assert [frame["inFramework"] for frame in big["frames"]] == [True, False, False, False]
    assert big["udf"]["name"] == "make.<locals>.aggregate"
    assert small["variance"] > 0
    assert small["sampled"] is True
    assert [frame["inFramework"] for frame in small["frames"]] == [True, True]
    assert not small["udf"], "the framework's own"

    native = big["frames"][3]
    assert native["language"] == "native"
    assert native["module"] == str(FIXTURE)
    assert len(native["buildId"]) == 40
    assert native["function"] or named(outcome)[(native["module"], native["offset"])] == "fixture_exported"

    # The writer was told: nothing waits in its box, so it took the box with it.
    assert "boxes left: 0" in outcome.out
    assert outcome.task("again")["sequence"] > task["sequence"]


def test_an_open_session_is_read_as_it_stands(java17):
    outcome = java17.run("PythonSessions", str(WRITER), str(FIXTURE), "open", "closed")
    assert outcome.status == 0, outcome.err
    task = outcome.task("task")
    assert task["partial"] is True
    assert sorted(session["closed"] for session in task["sessions"]) == [False, True]
    big = next(site for site in task["sites"] if site["origin"] == "python")
    assert big["allocatedBytes"] == 2 * BYTES
    assert big["allocations"] == 2
    assert "boxes at the end: 0" in outcome.out


def test_an_interim_profile_keeps_within_its_bound_and_acknowledges_nothing(java17):
    outcome = java17.run("PythonSessions", str(WRITER), str(FIXTURE), "closed")
    interim = outcome.envelope("interim")
    assert interim["bytes"] <= 4096
    assert interim["task"]["final"] is False
    assert any(site["allocatedBytes"] == BYTES for site in interim["task"]["sites"])
    assert outcome.task("task")["sessions"]  # still there for the final one


def test_a_worker_that_is_killed_before_it_was_seen_is_told_by_its_box(java17):
    outcome = java17.run("PythonDeaths", str(WRITER), str(FIXTURE), "open", "closed", "helper")
    assert outcome.status == 0, outcome.err
    before_the_end = outcome.messages()[: int(outcome.out.split()[-1])]
    deaths = [message["workerDeath"] for message in before_the_end if "workerDeath" in message]
    assert len([message for message in outcome.messages() if "workerDeath" in message]) == len(deaths), "told once"
    # Not the one that had closed its session, nor the helper, which may have ended by itself.
    assert deaths == [
        {
            "pid": int(outcome.out.split()[0]),
            "taskAttemptId": 1,
            "liveBytes": BYTES + 90_007,
            "hasBefore": False,
            "startedByTask": False,
        }
    ]
    for task in (1, 2, 3):
        assert outcome.task(f"task-{task}")["sessions"], "what it held goes with its task all the same"
