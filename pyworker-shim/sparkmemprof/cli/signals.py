"""Signals for whoever only waits for another process."""

import contextlib
import os
import signal

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def reaches_children(number):
    """Whether a child of ours gets such a signal by itself: a terminal sends Ctrl-C to its whole foreground group."""
    if number != signal.SIGINT:
        return False
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False  # there is no terminal
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)


@contextlib.contextmanager
def received_by(receive, numbers=ENDING):
    """A context in which `receive(number, frame)` is the handler of these signals; afterwards they have their own."""
    before = {number: signal.signal(number, receive) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
