"""`sparkmemprof post-mortem`: who died, from what is left: black boxes, reports and their checkpoints, event logs."""

import os
import pathlib
import stat
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


def _tell(text):
    show.write_out(text.encode(), None)


def _print_boxes(directory):
    """Prints what the dead processes of a directory of black boxes held: (how many were told, how many left out)."""
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
        _tell(text)
    return len(texts), len(refused) + len(alive)


def _deaths_of(report):
    """(as text, "" when it has none; whether its driver was not measured). Raises UserError."""
    from sparkmemprof import _store

    if report.is_file() and report.stat().st_size >= _LARGE_BYTES:
        _say(f"reading {report} ({report.stat().st_size >> 20} MiB)")
    content = show.read_report(report)
    try:
        return _store.render_deaths(content, *show.terminal(sys.stdout.isatty()))
    except ValueError as error:
        raise UserError(str(error)) from error


def _print_reports(path):
    """Prints the deaths of each application that left a report or an event log: (how many had any, how many none, of
    how many of these the driver was not measured, how many reports were left out). UserError if `path` is itself one
    that can't be read."""
    try:
        reports, unreadable = report_files.every_report(path)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    for entry, reason in unreadable:
        _say(f"refused: {entry}: {reason}")
    refused = len(unreadable)
    if len(reports) > _MOST_REPORTS:
        _say(f"the newest {_MOST_REPORTS} of {len(reports)} reports and event logs: give an older one by its name")
    known, died, unmeasured = set(), 0, 0
    for report, name in reports[:_MOST_REPORTS]:
        if name in known:
            continue  # its report says what its event log does
        try:
            text, driver_unmeasured = _deaths_of(report)
        except (UserError, OSError) as error:
            reason = str(error).removeprefix(f"{report}: ")
            if str(report) == str(pathlib.Path(path)):  # this one alone was asked for
                raise UserError(reason if str(report) in reason else f"{report}: {reason}") from error
            _say(f"refused: {reason}: {report}")
            refused += 1
            continue
        known.add(name)
        died += bool(text)
        if text:
            _tell(f"{_printable(str(report))}\n{text}")
        else:
            unmeasured += driver_unmeasured
    return died, len(known) - died, unmeasured, refused


def post_mortem(path):
    """Prints who died, by what is below a directory, or in one report or event log. Returns the exit status."""
    try:
        is_directory = stat.S_ISDIR(os.stat(path).st_mode)
    except FileNotFoundError:
        raise UserError(
            f"no such file or directory: {path}\n"
            "  give the directory of black boxes (spark.memprof.box.dir), of reports (spark.memprof.report.dir)\n"
            "  or of event logs (spark.eventLog.dir)"
        ) from None
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    if not is_directory and os.fspath(path).endswith((".box", ".words")):
        raise UserError(f"{path} is one process's: give its directory")
    boxes, left_out = _print_boxes(path) if is_directory else (0, 0)
    died, healthy, unmeasured, refused = _print_reports(path)
    if healthy:
        _say(f"{healthy} application{'s' if healthy > 1 else ''} ended without a death")
    if unmeasured:
        which = "its driver was" if healthy == 1 else f"of {unmeasured} of them the driver was"
        why = "spark.memprof.driver.enabled is false, or its log says why"
        _say(f"{which} not measured, so its own death would not show: {why}")
    if boxes + left_out + died + healthy + refused == 0:
        _say(f"no dead process left a black box in {path}, and no application a report or an event log")
    return 0 if boxes + died else 1
