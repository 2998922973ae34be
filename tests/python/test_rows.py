"""Resident memory by what it is: rows of a process that add up to its RSS, each measured by itself."""

import pytest
from conftest import DIFFERENT_CPYTHONS, SCENES, python_of
from stacks import sites_on_line


@pytest.mark.parametrize("version", DIFFERENT_CPYTHONS)
def test_rows_of_a_process_add_up(run_scene, boxes, version):
    python = python_of(version)
    if python is None:
        pytest.skip(f"no CPython {version} with hooks built for it")
    scene = run_scene("rows", python)
    (box,) = boxes.read().values()
    rows, rss = box["rows"]["rows"], box["rows"]["rss"]

    assert abs(rss - sum(rows.values())) <= rss / 10, box["rows"]
    assert rows["pool: libexact_alloc.so"] == scene["pool"]
    assert rows["shared memory"] == scene["shared"]
    # Small blocks are sampled: 60 MB at 64 KiB are known within 12 MB at six standard deviations.
    library = rows["native: libexact_alloc.so"]
    assert abs(library - scene["block"] - scene["small"]) <= 12_000_000
    # At most what the other rows leave of the resident set, and 100 MB of those are sampled: known within 15.4 MB.
    assert scene["retention"] - 15_400_000 <= rows["allocator retention"] <= scene["retention"] + 12_000_000
    assert 30_000_000 <= rows["Python objects"] <= 60_000_000


@pytest.mark.parametrize("way", ["madvise", "munmap", "mapped over"])
def test_what_a_pool_held_before_it_let_go(run_scene, boxes, way):
    scene = run_scene("pool_that_lets_go", arguments=(way,))
    (box,) = boxes.read().values()
    assert box["rows"]["rows"]["pool: libexact_alloc.so"] == scene["pool"]


def test_regions_that_find_no_room_are_counted(run_scene, boxes):
    run_scene("many_regions")
    (first,), (second,) = boxes.sessions(1), boxes.sessions(2)
    assert first["counters"]["droppedRegions"] >= 100
    assert second["counters"].get("droppedRegions", 0) < 100, "of one session alone; Python may have got an arena"


def test_a_pool_is_charged_to_no_line(run_scene, boxes):
    scene = run_scene("rows")
    charged = sites_on_line(boxes.sites(), str(SCENES / "rows.py"), scene["pool_line"])
    assert sum(site["allocated"] for site in charged) < 1_000_000


def test_a_library_is_known_behind_a_link(run_scene, boxes):
    scene = run_scene("linked_library")
    (box,) = boxes.read().values()
    assert box["rows"]["rows"]["pool: liballocator.so"] == scene["held"], "where it has moved to"
    assert scene["counters"]["reservedBytes"] == scene["pool"]
    for line in scene["lines"]:
        charged = sites_on_line(boxes.sites(), str(SCENES / "linked_library.py"), line)
        assert sum(site["allocated"] for site in charged) < 1_000_000
