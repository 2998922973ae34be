"""Threads that run on when the task that has started them is over: what they allocate is no later task's."""

import pytest
from conftest import CPYTHONS, python_of
from stacks import site_of


@pytest.mark.parametrize("version", CPYTHONS)
def test_a_thread_of_an_earlier_task_is_of_no_task(version, run_scene, boxes):
    python = python_of(version)
    if python is None:
        pytest.skip(f"no CPython {version} that the hooks were built for")

    scene = run_scene("left_threads", python=python)

    sizes, functions = scene["sizes"], scene["functions"]
    (box,) = boxes.read().values()
    process = next(session for session in box["sessions"] if session["task_attempt_id"] < 0)
    first, second, third = boxes.sessions()
    assert [session["task_attempt_id"] for session in (first, second, third)] == [1, 2, 3]
    assert [incident["asked"] for incident in second["incidents"]] == [scene["refused"]], (
        "none that was refused to them"
    )
    of_second = [site["allocated"] for site in second["sites"]]
    for name, function in functions.items():
        assert sizes[name] not in of_second
        assert site_of(process["sites"], sizes[name])["live"] == sizes[name]
        bare = function if version not in ("3.9", "3.10") else function.rpartition(".")[2]  # they know no more
        # Beside the block, the small objects that the thread makes: one sample of them is an interval or two.
        assert sizes[name] <= second["counters"][f"noTaskPythonBytes: {bare}"] <= sizes[name] + (1 << 20)
    for session in (first, third):
        assert not any("noTask" in name for name in session["counters"]), "what they allocate between tasks is of none"
    assert len([name for name in second["counters"] if "noTask" in name]) == len(functions)
    for name in ("of_pool", "of_task"):
        assert site_of(second["sites"], sizes[name])
    assert site_of(first["sites"], sizes["before"]), "while its task is there, a thread works for that"
