"""`sparkmemprof run`: a plain Python program, profiled from outside, so that its report is made however it ends."""

import contextlib
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from sparkmemprof.children import environment_with

from .errors import UserError
from .show import write_report

_FORWARDED = (signal.SIGTERM, signal.SIGHUP)
# Python's own options that take a separate argument.
_WITH_A_WORD = ("-W", "-X", "--check-hash-based-pycs")


def program_name(words):
    """What is run, for a title: the script's file name, or `-m module`, or `-c`."""
    words = iter(words)
    for word in words:
        if word in _WITH_A_WORD:
            next(words, None)
        elif word == "-m":
            return f"-m {next(words, '')}".strip()
        elif word == "-c":
            return "-c"
        elif not word.startswith("-") or word == "-":
            return os.path.basename(word)
    return "python"


def run(words, report_directory, interval_bytes):
    """Runs `python words…`, writes and prints its report. Returns its exit status; negative: killed by that signal."""
    identity = time.strftime("program-%Y%m%d%H%M%S-") + str(os.getpid())
    with tempfile.TemporaryDirectory(prefix="sparkmemprof-run-") as boxes:
        settings = {
            "boxDirectory": boxes,
            "applicationId": identity,
            "intervalBytes": interval_bytes,
            "pythonPath": os.environ.get("PYTHONPATH"),
        }
        started = time.time()
        pid, status = _execute(words, settings)
        facts = {
            "id": identity,
            "name": program_name(words),
            "pid": pid,
            "host": socket.gethostname(),
            "failure": _failure(status),
            "started_ms": int(1000 * started),
            "ended_ms": int(1000 * time.time()),
        }
        content = _report(boxes, facts)
    if content is not None:
        _write_and_print(content, os.path.join(report_directory, identity))
    return status


def _execute(words, settings):
    process = subprocess.Popen([sys.executable, *words], env=environment_with(settings, os.environ))
    # Ctrl-C goes to both processes; a signal to us is meant for the program.
    signal.signal(signal.SIGINT, lambda *_: None)
    for number in _FORWARDED:
        signal.signal(number, lambda received, _: process.send_signal(received))
    status = process.wait()
    for number in (signal.SIGINT, *_FORWARDED):
        signal.signal(number, signal.SIG_DFL)
    return process.pid, status


def _failure(status):
    if status == 0:
        return ""
    if status > 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


def _report(boxes, facts):
    from sparkmemprof import _store

    try:
        return _store.program_report(boxes, **facts)
    except ValueError as error:
        print(f"sparkmemprof: no report: {error}", file=sys.stderr)
        return None


def _write_and_print(content, folder):
    from sparkmemprof import _store

    content = content.encode()
    end = f"report in {folder}"
    try:
        write_report(content, folder)
    except UserError as error:
        end = f"the report was not written: {error}"
    # On stderr: what the program writes to stdout stays as it is.
    terminal = sys.stderr.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = shutil.get_terminal_size((100, 24)).columns if terminal else 100
    with contextlib.suppress(OSError):
        sys.stderr.write(_store.render_text(content, width, colour, 0))
        print(f"sparkmemprof: {end}", file=sys.stderr, flush=True)


def end_as(status):
    """Ends this process the way the program ended: same exit status, or killed by the same signal."""
    if status < 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status if status >= 0 else 128 - status)
