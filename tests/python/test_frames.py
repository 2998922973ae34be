"""Stacks of samples on every supported CPython: each odd size is on the line that allocated it."""

import math
import pathlib

import pytest
from conftest import CPYTHONS, INTERVAL, SCENES, python_of
from stacks import native_frames, python_frames, site_of


@pytest.mark.parametrize("version", [*CPYTHONS, "system"])
def test_every_allocation_is_on_its_line(version, run_scene, boxes):
    python = "/usr/bin/python3" if version == "system" else python_of(version)
    if python is None or not pathlib.Path(python).exists():
        pytest.skip(f"no CPython {version} that the hooks were built for")

    scene = run_scene("frames", python=python)

    sites = boxes.sites()
    assert len(scene["expected"]) > 40
    for expected in scene["expected"]:
        site = site_of(sites, expected["size"])
        assert (site["allocations"], site["sampled"]) == (1, False)
        frames = python_frames(site)
        names = [frame["function"].split(".")[-1] for frame in frames]
        if expected.get("no_python"):
            assert not frames
            assert any(frame["module"].endswith("libexact_alloc.so") for frame in native_frames(site))
            continue
        innermost = frames[-1]
        assert (innermost["function"], innermost["file"], innermost["line"]) == (
            expected["function"],
            expected["file"],
            expected["line"],
        )
        assert site["frames"][-1]["language"] == "native", "native frames come after the Python line that called them"
        assert native_frames(site)[-1]["module"].endswith("libexact_alloc.so")
        assert not any("_hooks." in frame["module"] or "libpython" in frame["module"] for frame in site["frames"])
        assert len(site["frames"]) <= 128
        if "outermost" in expected:
            assert names[0] == expected["outermost"]
        if "above" in expected:
            assert expected["above"] in names, "recursion is folded, so what called it has its place"
        if "without" in expected:
            assert expected["without"] not in names
        order = in_order(site) if version != "3.9" else None  # which leaves no trace of where its loops lie
        if "order" in expected and order:
            assert order == expected["order"]
        if "ending" in expected and order:
            assert order[-len(expected["ending"]) :] == expected["ending"]


def in_order(site):
    """Functions of the scene and calls of the scene's library, outermost first."""
    own = str(SCENES / "frames.py")
    frames = [frame for frame in site["frames"] if frame.get("file") == own or "exact_alloc" in frame.get("module", "")]
    names = [
        frame["function"].split(".")[-1] if frame["language"] == "python" else pathlib.Path(frame["module"]).name
        for frame in frames
    ]
    return [name for name, before in zip(names, [None, *names], strict=False) if name != before]


def test_first_line_is_the_functions(run_scene, boxes):
    scene = run_scene("frames")

    lines = (SCENES / "frames.py").read_text().splitlines()
    plain = next(number for number, line in enumerate(lines, 1) if line.startswith("def plain"))
    expected = next(e for e in scene["expected"] if e["function"] == "plain")
    assert python_frames(site_of(boxes.sites(), expected["size"]))[-1]["first_line"] == plain


@pytest.mark.parametrize("version", CPYTHONS)
def test_objects_of_a_librarys_thread_are_the_waiting_lines(version, run_scene, boxes):
    """Where it is the only one; beside a second Python thread they are nobody's."""
    python = python_of(version)
    if python is None:
        pytest.skip(f"no CPython {version} that the hooks were built for")

    scene = run_scene("native_threads", python=python)

    error = 6 * math.sqrt(INTERVAL * scene["bytes"])
    for task, functions in [(1, ["<module>", "waited_for", "make"]), (2, [])]:
        made = [
            site
            for site in boxes.sites(task)
            if [frame["function"] for frame in python_frames(site)] == functions
            and any(frame["module"].endswith("libexact_alloc.so") for frame in native_frames(site))
        ]
        assert abs(sum(site["live"] for site in made) - scene["bytes"]) <= error
