"""Bytes of samples: each allocation function, frees, growth, mappings, residency, small objects, forks."""

import math
import os
import pathlib
import platform

import pytest
from conftest import APPLICATION, INTERVAL, NATIVE, box_reader, python_of
from stacks import native_frames, python_frames, site_of, sites_on_line


def site_of_block(sites, expected):
    """The line of some makes small objects, too: one in a thousand is sampled, and stands for INTERVAL bytes."""
    if not expected.get("objects"):
        return site_of(sites, expected["size"])
    (site,) = [
        each
        for each in sites_on_line(sites, expected["file"], expected["line"])
        if each["allocated"] >= expected["size"]
    ]
    for figure, bytes_of_block in (("allocated", expected["size"]), ("live", expected["live"])):
        beside = site[figure] - bytes_of_block
        assert beside == 0 or beside >= INTERVAL, (site, expected)
    return site


@pytest.mark.parametrize("allocator", ["pymalloc", "malloc"])  # the latter as of a CPython built without pymalloc
def test_each_function_gives_its_bytes(run_scene, boxes, allocator):
    scene = run_scene("allocators", environment={"PYTHONMALLOC": allocator})

    sites = boxes.sites()
    for expected in scene["expected"]:
        site = site_of_block(sites, expected)
        if site["allocated"] != expected["size"]:
            continue  # nothing of it is exact
        innermost = python_frames(site)[-1]
        assert (innermost["function"], innermost["file"], innermost["line"]) == (
            expected["function"],
            expected["file"],
            expected["line"],
        )
        assert (site["allocations"], site["sampled"]) == (1, False)
        assert site["live"] == expected["live"], expected
        assert site["live_at_peak"] in (0, expected["size"], expected["live"])
        if "module" in expected:
            assert pathlib.Path(native_frames(site)[-1]["module"]).name == expected["module"]
    assert scene["counters"]["reservations"] == 3
    assert scene["counters"]["reservedBytes"] == (2 << 33) + scene["room"]
    assert not any(site["allocated"] >= 1 << 32 for site in sites)
    assert len(boxes.read()) == 1, "the second start made nothing"


def test_frees_of_c23(run_scene, boxes):
    """Given by a preloaded library: this machine's libc may not have them."""
    scene = run_scene("sized_frees", environment={"LD_PRELOAD": NATIVE / "libsized_frees.so"})
    assert len(scene["expected"]) == 2
    for expected in scene["expected"]:
        site = site_of(boxes.sites(), expected["size"])
        assert (site["allocations"], site["live"]) == (1, 0)


def test_libraries_that_come_late_and_go(run_scene, boxes):
    scene = run_scene("late_libraries")

    sites = boxes.sites()
    assert len(scene["expected"]) == 5
    for expected in scene["expected"]:
        site = site_of(sites, expected["size"])
        assert python_frames(site)[-1]["line"] == expected["line"]
        assert (site["allocations"], site["live"]) == (1, expected["size"])
        assert pathlib.Path(native_frames(site)[-1]["module"]).name == expected["module"]
    assert scene["next"] == 2, "dlsym(RTLD_NEXT) still goes by its caller"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="look-ups are hooked on x86-64 alone")
def test_functions_that_were_looked_up(run_scene, boxes):
    scene = run_scene("looked_up_functions")
    assert len(scene["expected"]) == 2
    for expected in scene["expected"]:
        site = site_of(boxes.sites(), expected["size"])
        assert python_frames(site)[-1]["line"] == expected["line"]
        assert (site["allocations"], site["live"]) == (1, expected["live"])
    assert (scene["missing"], scene["other"]) == (False, True), "all else is found as before"


def test_residency_is_what_was_touched(run_scene, boxes):
    scene = run_scene("residency")

    assert len(scene["expected"]) == 6
    for expected in scene["expected"]:
        site = site_of(boxes.sites(expected["task"]), expected["size"])
        assert (site["live"], site["live_at_peak"]) == (expected["live"], expected["size"])
        lowest, highest = expected["resident"]
        assert lowest * site["allocated"] <= site["resident_at_peak"] <= highest * site["allocated"], expected


@pytest.mark.parametrize("mode", ["alone", "tracemalloc", "tracemalloc until a session ends"])
def test_small_objects_are_within_the_stated_error(run_scene, boxes, mode):
    scene = run_scene("small_objects", arguments=[mode])

    tracing = mode == "tracemalloc"
    sites = boxes.sites(task=1)
    truth = scene["bytes"]
    error = 6 * math.sqrt(INTERVAL * truth)  # six standard deviations
    # On the same line: the list that holds them, and what tracemalloc keeps of each (not all of which it owns up to).
    kept = sum(site["live"] for site in sites_on_line(sites, scene["file"], scene["kept"]["line"]))
    expected = truth + scene["kept"]["more"]
    assert expected - error <= kept <= (1.5 * expected if tracing else expected + error)
    dropped = sites_on_line(sites, scene["file"], scene["dropped"]["line"])
    assert sum(site["live"] for site in dropped) <= 8 * INTERVAL
    assert all(python_frames(site)[-1]["function"] != "generator" for site in sites if python_frames(site))
    if not tracing:
        assert abs(sum(site["allocated"] for site in dropped) - truth) <= error
        assert all(not native_frames(site) for site in dropped)


def test_small_objects_that_malloc_has_to_serve_are_counted_once(run_scene, boxes):
    scene = run_scene("no_arenas")
    sites = sites_on_line(boxes.sites(task=1), scene["file"], scene["line"])
    error = 6 * math.sqrt(INTERVAL * scene["bytes"])
    assert abs(sum(site["allocated"] for site in sites) - scene["bytes"]) <= error
    assert abs(sum(site["live"] for site in sites) - scene["bytes"]) <= error


@pytest.mark.parametrize("allocator", ["pymalloc", "mimalloc"])
@pytest.mark.parametrize("version", ["3.13", "3.14"])
def test_a_session_says_that_mimalloc_serves_its_objects(run_scene, boxes, version, allocator):
    """No hook sees its larger objects."""
    python = python_of(version)
    if python is None:
        pytest.skip(f"no CPython {version} that the hooks were built for")
    run_scene("large_objects", python=python, environment={"PYTHONMALLOC": allocator})
    (session,) = boxes.sessions()
    assert session["counters"].get("sessionsWithMimalloc") == {"pymalloc": None, "mimalloc": 1}[allocator]


def test_fork_keeps_the_parents_box_and_lets_the_child_make_its_own(run_scene, boxes):
    scene = run_scene("forks")

    found = boxes.read()
    assert set(found) == {scene["pid"], scene["child"]}
    sites = boxes.sites(task=1)
    for expected in scene["expected"]:
        assert site_of(sites, expected["size"])["allocations"] == 1
    everything = [site for box in found.values() for session in box["sessions"] for site in session["sites"]]
    assert all(site["allocated"] != scene["child_size"] for site in everything), "an inert child records nothing"
    assert site_of(boxes.sites(task=2), scene["restarted_size"])["live"] == scene["restarted_size"]


def test_children_of_a_busy_parent_live(run_scene, boxes):
    run_scene("forks_under_load")
    assert len(boxes.read()) == 1, "each child has stopped, and removed its box"


def test_stop_leaves_nothing_behind(run_scene, boxes):
    run_scene("stops")

    reader = box_reader()
    sessions = [
        session
        for path in reader.list_boxes(str(boxes.directory), APPLICATION)
        for session in reader.read_box(path)["sessions"]
    ]
    tasks = {session["task_attempt_id"]: session for session in sessions if session["task_attempt_id"] > 0}
    assert set(tasks) == {1, 2}
    assert site_of(tasks[1]["sites"], 1_999_993)["live"] == 1_999_993
    everything = [site["allocated"] for session in sessions for site in session["sites"]]
    assert 2_999_993 not in everything
    assert 3_999_993 in everything


@pytest.fixture
def python_with_numpy():
    python = os.environ.get("MEMPROF_PYTHON_4")
    if not python:
        pytest.skip("MEMPROF_PYTHON_4 names no Python with numpy; tests/run.sh sets it")
    return python


def test_arrays_of_a_library_that_comes_late(run_scene, boxes, python_with_numpy):
    scene = run_scene("arrays", python=python_with_numpy)

    (expected,) = scene["expected"]
    sites = boxes.sites()
    site = site_of(sites_on_line(sites, expected["file"], expected["line"]), expected["size"])
    assert any("numpy" in frame["module"] for frame in native_frames(site))
    assert site["resident_at_peak"] >= 0.99 * expected["size"]
    derived = sites_on_line(sites, expected["file"], scene["derived_line"])
    # Arrays of this size are counted exactly; a small object of the same line may be sampled beside them.
    assert 0 <= sum(site["live"] for site in derived) - scene["derived_bytes"] < 4 * 65_536


def test_what_a_library_maps_for_itself_is_no_lines(run_scene, boxes, python_with_numpy):
    """OpenBLAS keeps 32 MiB for each of its threads."""
    scene = run_scene("products", python=python_with_numpy)

    assert scene["counters"]["reservedBytes"] >= 32 << 20, "no buffer was mapped"
    (expected,) = scene["expected"]
    sites = boxes.sites()
    on_line = sites_on_line(sites, expected["file"], expected["line"])
    assert site_of(on_line, expected["size"])["live"] == expected["size"]
    assert 0 <= sum(site["live"] for site in on_line) - expected["size"] < 4 * 65_536
    others = sites_on_line(sites, expected["file"], scene["others_line"])
    assert sum(site["live"] for site in others) < 4 * 65_536


def test_without_address_space_the_hooks_refuse(run_scene, boxes):
    """RLIMIT_AS is what spark.executor.pyspark.memory becomes."""
    scene = run_scene("no_room")
    assert not scene["started"]
    assert "address space" in scene["refused"] or "Cannot allocate memory" in scene["refused"], scene
    assert scene["left"] == 100_000
    assert boxes.read() == {}, "nothing is left behind"


NO_MEMORY_MISSING = ["misaligned", "mmap-empty", "mmap-huge-pages", "mmap-reservation"]


@pytest.mark.parametrize("way", ["posix_memalign", "aligned_alloc", "mmap", "arenas", *NO_MEMORY_MISSING])
def test_memory_that_is_refused_is_noted_with_its_line(run_scene, boxes, way):
    scene = run_scene("refusals", arguments=[way])
    assert scene["failed"], "there was room"
    (session,) = boxes.sessions(2 if way == "arenas" else 1)
    if way in NO_MEMORY_MISSING:
        assert session["incidents"] == [], "no memory was missing"
        return
    (incident,) = session["incidents"]
    assert incident["asked"] in ([256 << 10, 1 << 20] if way == "arenas" else [scene["asked"]])
    innermost = python_frames(incident)[-1]
    assert (innermost["file"], innermost["line"]) == (scene["file"], scene["line"])
