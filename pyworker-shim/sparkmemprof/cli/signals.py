"""Signals for whoever only waits for another process."""

import contextlib
import os
import signal

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def reaches_children(number):
    """Whether we take such a signal for a terminal's Ctrl-C, which goes to its whole foreground group, and so to a
    child. Who has sent it isn't known: in the foreground of a terminal, SIGINT to us alone is not passed on, and
    elsewhere SIGINT to the whole group reaches a child twice."""
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
