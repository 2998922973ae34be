"""Signals for whoever only waits for another process."""

import contextlib
import signal

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def received_by(receive, numbers=ENDING):
    """A context in which `receive(number, frame)` is the handler of these signals; afterwards they have their own."""
    before = {number: signal.signal(number, receive) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
