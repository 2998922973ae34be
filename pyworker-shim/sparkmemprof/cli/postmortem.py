"""`sparkmemprof post-mortem`: who died, from what is left: black boxes, reports and their checkpoints, event logs."""

import os
import sys

from . import report_files, show
from .errors import UserError

_MOST_REPORTS = 50  # an event log may take seconds
_LARGE_BYTES = 64 << 20


def _printable(text):
    """File names are not trusted: control characters in them must not reach the terminal."""
    return "".join(letter if letter.isprintable() else f"\\x{ord(letter):02x}" for letter in text)


def _say(text):
    print(f"sparkmemprof: {_printable(text)}", file=sys.stderr)


def _print_boxes(directory):
    """Prints what the dead processes of a directory of black boxes held. Returns how many there were."""
    from sparkmemprof import _store

    try:
        texts, refused, alive, cut = _store.read_dead_boxes(os.fsencode(directory))
    except ValueError as error:
        raise UserError(str(error)) from None
    for path, reason in refused:
        _say(f"refused: {path}: {reason}")
    for path in alive:
        _say(f"left alone, its process is alive: {path}")
    if cut:
        _say("there are more than are read: give one of the folders below it")
    for text in texts:
        print(text, end="")
    return len(texts)


def _print_reports(path):
    """Prints the deaths of each application that left a report or an event log: (how many had any, how many none)."""
    from sparkmemprof import _store

    reports = report_files.every_report(path)
    if len(reports) > _MOST_REPORTS:
        _say(
            f"the newest {_MOST_REPORTS} of {len(reports)} applications: give a report or an event log for another one"
        )
    died = healthy = 0
    for report in reports[:_MOST_REPORTS]:
        try:
            if report.is_file() and report.stat().st_size >= _LARGE_BYTES:
                _say(f"reading {report} ({report.stat().st_size >> 20} MiB)")
            text = _store.render_deaths(show.read_report(report), *show.terminal(sys.stdout.isatty()))
        except (UserError, ValueError, OSError) as error:
            _say(f"refused: {str(error).removeprefix(f'{report}: ')}: {report}")
            continue
        if text:
            print(text, end="")
            _say(f"that is from {report}")
        died, healthy = died + bool(text), healthy + (not text)
    return died, healthy


def post_mortem(path):
    """Prints who died, by what is below a directory, or in one report or event log. Returns the exit status."""
    is_directory = os.path.isdir(path)
    if not os.path.exists(path):
        raise UserError(
            f"no such file or directory: {path}\n"
            "  give the directory of black boxes (spark.memprof.box.dir), of reports (spark.memprof.report.dir)\n"
            "  or of event logs (spark.eventLog.dir)"
        )
    boxes = _print_boxes(path) if is_directory else 0
    died, healthy = _print_reports(path)
    if healthy:
        _say(f"{healthy} application{'s' if healthy > 1 else ''} ended without a death")
    if boxes + died == 0 and not healthy:
        _say(f"no dead process left a black box in {path}, and no application a report or an event log")
    return 0 if boxes + died else 1
