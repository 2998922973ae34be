"""Signals for whoever only waits for another process."""

import contextlib
import os
import signal

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)  # a JVM goes on after the last
HANDED_ON = (*ENDING, signal.SIGUSR1, signal.SIGUSR2)  # by default each of them would end us
_OF_TERMINAL = (signal.SIGINT, signal.SIGQUIT)


def reaches_children(number):
    """Whether we take such a signal for a terminal's Ctrl-C or Ctrl-\\, which goes to its whole foreground group, and
    so to a child. Who has sent it isn't known: in the foreground of a terminal, one to us alone is not passed on, and
    elsewhere one to the whole group reaches a child twice."""
    if number not in _OF_TERMINAL:
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
def handed_on_to(start, ended=lambda _number: None):
    """A context of the process, a Popen, that `start()` makes. Until it has ended, a signal to us is meant for it, and
    reaches it even if it comes before the process is there; a terminal's reaches it by itself. `ended(number)` receives
    those that come later. One that we were started to ignore (nohup) stays ignored, by the process, too."""
    process, early = None, []

    def receive(number, _frame):
        if process is None:
            early.append(number)
        elif process.returncode is not None:
            ended(number)
        elif not reaches_children(number):
            process.send_signal(number)

    # A process that is started while we have a handler for a signal has the default action for it.
    with _received_by(receive, [number for number in HANDED_ON if signal.getsignal(number) is not signal.SIG_IGN]):
        process = start()
        for number in early:
            process.send_signal(number)
        yield process


@contextlib.contextmanager
def _received_by(receive, numbers):
    """A context in which `receive(number, frame)` is the handler of these signals; afterwards they have their own."""
    before = {number: signal.signal(number, receive) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
