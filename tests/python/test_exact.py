"""Exact mode, interval 1: every block is counted."""

import sys

import pytest
from conftest import DIFFERENT_CPYTHONS, SCENES, python_of
from stacks import native_frames, python_frames, sites_on_line

BRIEF_DEPTH = 48


@pytest.mark.parametrize("version", DIFFERENT_CPYTHONS)
def test_every_block_is_counted_on_its_line(version, run_scene, boxes):
    python = python_of(version)
    if python is None:
        pytest.skip(f"no CPython {version} that the hooks were built for")

    scene = run_scene("exact", python=python)

    file = str(SCENES / "exact.py")
    sites = boxes.sites()
    assert not any(site["sampled"] for site in sites)
    (small,) = sites_on_line(sites, file, scene["small_line"])
    assert not native_frames(small)
    assert (small["allocated"], small["allocations"]) == (scene["rounds"] * scene["small"], scene["rounds"])
    assert small["live"] == 0, "each was freed"
    (large,) = [site for site in sites_on_line(sites, file, scene["large_line"]) if native_frames(site)]
    assert (large["allocated"], large["allocations"]) == (scene["rounds"] * scene["large"], scene["rounds"])
    assert large["live"] == scene["rounds"] * scene["large"]

    # The small ones know their innermost callers, the large ones all, and the library that allocated.
    assert [frame["function"] for frame in python_frames(small)][-3:] == ["level_2", "level_1", "innermost"]
    assert len(python_frames(small)) == BRIEF_DEPTH
    names = [frame["function"] for frame in python_frames(large)]
    assert names == ["<module>", *(f"level_{i}" for i in range(scene["deep"] - 1, 0, -1)), "innermost"]
    assert native_frames(large)[-1]["module"].endswith("libexact_alloc.so")

    # Each object that is kept, however small.
    size = sys.getsizeof(object())
    kept = [
        site for site in sites_on_line(sites, file, scene["objects_line"]) if site["live"] >= scene["objects"] * size
    ]
    assert sum(site["allocations"] for site in kept) >= scene["objects"]
