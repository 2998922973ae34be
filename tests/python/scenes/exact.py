"""Exact mode: blocks of a few odd sizes, below 64 functions that call each other, each on a line of its own."""

import os
import sys

import stage

DEEP = 64
SMALL, LARGE, ROUNDS = 1_499, 40_009, 7
EMPTY = sys.getsizeof(b"")

library = stage.load("exact_alloc")
expect = stage.Expectations()


def innermost():
    slots, filling = [None] * ROUNDS, SMALL - EMPTY
    for slot in range(ROUNDS):
        slots[slot] = b"x" * filling
    small_line = stage.line() - 1
    slots = None
    for _ in range(ROUNDS):
        _, large_line = library.exact_malloc(LARGE), stage.line()
    return small_line, large_line


functions = {"level_0": innermost}
for level in range(1, DEEP):
    exec("\n" * level + f"def level_{level}():\n    return level_{level - 1}()", functions)

os.environ["SCENE_INTERVAL"] = "1"
stage.start()
stage.open_session()
small_line, large_line = functions[f"level_{DEEP - 1}"]()
kept = [object() for _ in range(12_345)]
objects_line = sys._getframe().f_lineno - 1
expect.finish(
    small_line=small_line,
    large_line=large_line,
    objects_line=objects_line,
    small=SMALL,
    large=LARGE,
    rounds=ROUNDS,
    objects=len(kept),
    deep=DEEP,
)
