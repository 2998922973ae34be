"""`sparkmemprof run`: a Python program, profiled from outside, so that its report is made however it ends."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys

from sparkmemprof.standard_error import say

from .errors import UserError
from .program_watch import ProgramWatch
from .show import render_terminal, write_report
from .signals import ENDING, handed_on_to

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
    with ProgramWatch(program_name(words), interval_bytes, report_directory) as watch:
        environment = watch.environment(dict(os.environ))
        with _started([sys.executable, *words], environment, watch) as process:
            status = process.wait()
            if watch.boxes is None:
                return status
            try:
                _report(watch, process.pid, watch.end_of_program(status, _failure(status)), report_directory)
            except Exception as error:
                say(f"no report: {error}")
    return status


def _started(command, environment, watch):
    """A context of the program, which signals to us are meant for. When it has ended, the first one that would end us
    ends the wait for its Spark application, and the next one ends us."""

    def ended(number):
        if number in ENDING and not watch.stop_waiting():
            raise SystemExit(128 + number)

    return handed_on_to(lambda: subprocess.Popen(command, env=environment), ended)


def _failure(status):
    if status == 0:
        return ""
    if status > 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"


def _report(watch, pid, end, report_directory):
    own = watch.own_report(pid, end)
    folder = os.path.join(report_directory, watch.identity)
    is_new = not os.path.exists(report_directory)
    refusal = _write(own, folder)  # before the wait below, in which we may be killed
    joined = watch.joined(end)
    refused = None if joined is None else _write(*joined)
    if joined is not None and refused is None:
        if joined[1] != folder:  # an application without a report of its own has the program's name
            shutil.rmtree(folder, ignore_errors=True)
            with contextlib.suppress(OSError):
                if is_new:
                    os.rmdir(report_directory)
        _print(joined[0], f"report in {joined[1]}")
        return
    if refused is not None:
        say(f"what the program held is not in the report of its Spark application: {refused}")
    _print(
        "" if watch.hides else own,
        f"report in {folder}" if refusal is None else f"the report was not written: {refusal}",
    )


def _write(content, folder):
    """Why it was refused, or None."""
    try:
        write_report(content.encode(), folder)
    except UserError as error:
        return error
    return None


def _print(content, end):
    """On stderr: what the program writes to stdout stays as it is. Without content only the end."""
    with contextlib.suppress(OSError, UnicodeEncodeError):
        if content:
            sys.stderr.write(render_terminal(content.encode(), "the report", sys.stderr.isatty()))
    say(end)
