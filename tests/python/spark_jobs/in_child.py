"""What runs in processes that a task starts; they import it by its name."""

import os
import pathlib
import time


def take(size):
    """bytearray(n) asks for n + 1 bytes."""
    return len(bytearray(size - 1)) * 0  # take in a child


def take_when_all_are_here(size, folder, count):
    """Each of `count` processes does it once."""
    (pathlib.Path(folder) / str(os.getpid())).touch()
    deadline = time.monotonic() + 60
    while len(os.listdir(folder)) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    return take(size)
