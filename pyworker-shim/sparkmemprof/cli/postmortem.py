"""`sparkmemprof post-mortem`: what dead processes left in their black boxes."""

import os
import sys

from .errors import UserError


def _printable(text):
    """File names are not trusted: control characters in them must not reach the terminal."""
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)


def post_mortem(directory):
    """Prints what dead processes left below `directory`; boxes of living ones are skipped. Returns the exit status."""
    from sparkmemprof import _store

    if not os.path.isdir(directory):
        raise UserError(f"{directory} is not a directory\n  give the directory of black boxes: spark.memprof.box.dir")
    try:
        texts, refused, alive, cut = _store.read_dead_boxes(os.fsencode(directory))
    except ValueError as error:
        raise UserError(str(error)) from None
    for path, reason in refused:
        print(f"sparkmemprof: refused: {_printable(path)}: {_printable(reason)}", file=sys.stderr)
    for path in alive:
        print(f"sparkmemprof: left alone, its process is alive: {_printable(path)}", file=sys.stderr)
    if cut:
        print("sparkmemprof: there are more than are read: give one of the folders below it", file=sys.stderr)
    for text in texts:
        print(text, end="")
    if not texts:
        print(f"sparkmemprof: no dead process left a black box in {directory}", file=sys.stderr)
    return 0 if texts else 1
