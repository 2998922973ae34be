"""Event logs of Spark: a file, or the folder of a rolled one. What is in them is read in C++ (common/eventlog)."""

import os
import re

_ROLLED = "eventlog_v2_"
_PIECE = re.compile(r"events_(\d+)_")
_COMPACT = ".compact"
_UNFINISHED_COMPACT = _COMPACT + ".inprogress"  # what a History Server writes now, or has not finished
_MAGIC = (
    b"\x28\xb5\x2f\xfd",  # zstd
    b"LZ4Block",
    b"\x82SNAPPY\x00",
    b"ZV",  # lzf
)
_HEAD_BYTES = 64
_MOST_GAPS = 5  # that are named
# What Spark adds to an application's id: the codec, and these while it writes or after it has compacted.
_ENDING = re.compile(r"(\.(zstd|lz4|snappy|lzf|inprogress|compact))+$")


def is_rolled(path):
    """True for the folder of a rolled event log."""
    return path.name.startswith(_ROLLED) and path.is_dir()


def looks_like_one(head):
    """True when a file with these first bytes may be an event log."""
    return head.startswith(_MAGIC) or (head.lstrip()[:1] == b"{" and b'"Event"' in head)


def files_of(path):
    """The files of an event log in the order in which they were written; none: it is no event log."""
    if is_rolled(path):
        return _pieces(path)
    try:
        if not path.is_file():
            return []
        with open(path, "rb") as file:
            return [path] if looks_like_one(file.read(_HEAD_BYTES)) else []
    except OSError:
        return []


def lacking(path):
    """Words for the files that a rolled log should have and has not; "": none. What comes after its last is unknown."""
    gaps, expected = [], 1
    for number, compact, _ in _numbered(path) if is_rolled(path) else []:
        if number > expected and not compact:  # in that one is all that was before
            gaps.append((expected, number - 1))
        expected = number + 1
    names = [f"events_{first}" if first == last else f"events_{first} to events_{last}" for first, last in gaps]
    others = len(names) - _MOST_GAPS
    return ", ".join(names[:_MOST_GAPS]) + (f" and {others} more gaps" if others > 0 else "")


def _pieces(folder):
    return [folder / name for _, _, name in _numbered(folder)]


def _numbered(folder):
    """events_1_<id>, events_2_<id>, ...; a compacted file contains all files before it, once it is whole."""
    numbered = []
    for name in os.listdir(folder):
        found = _PIECE.match(name)
        if found and not name.endswith(_UNFINISHED_COMPACT):
            numbered.append((int(found[1]), name.endswith(_COMPACT), name))
    numbered.sort()
    first = max((i for i, (_, compact, _) in enumerate(numbered) if compact), default=0)
    return numbered[first:]


def application_of(path):
    """The application's id, by the name that Spark gave the log."""
    name = path.name.removeprefix(_ROLLED)
    return _ENDING.sub("", name)
