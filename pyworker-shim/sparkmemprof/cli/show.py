"""`sparkmemprof report`: one report.json in any of its views."""

import contextlib
import gzip
import json
import os
import shutil
import stat
import sys
import tempfile

from . import event_log
from .errors import UserError
from .report_files import application_of, find_report, later_attempts

MEASURES = {"allocated": "allocated", "live": "live at peak", "resident": "resident at peak"}
_BY_SUFFIX = {
    ".speedscope.json": "speedscope",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".folded": "flamegraph",
    ".collapsed": "flamegraph",
    ".pb.gz": "pprof",
    ".pprof": "pprof",
    ".csv": "csv",
}


def read_report(path):
    """The bytes of report.json, made from the event log if it is one. Raises UserError."""
    from sparkmemprof import _store

    try:
        logs = event_log.files_of(path)
        if logs:
            files = [os.fsencode(log) for log in logs]
            return _store.report_of_event_log(files, event_log.lacking(path)).encode()
        if event_log.is_rolled(path):
            raise UserError(f"{path}: no events_<number>_<application id> is in it")
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}; reports belong to the user who ran the job") from error
    except ValueError as error:
        raise UserError(f"{path}: {error}") from error


def render(content, path, form, measure="allocated", to_terminal=False):
    """The view as bytes."""
    from sparkmemprof import _store

    views = {
        "html": _store.render_html,
        "flamegraph": lambda report: _store.render_collapsed(report, MEASURES[measure]),
        "speedscope": _store.render_speedscope,
        "csv": _store.render_csv,
        "pprof": _store.render_pprof,
    }
    try:
        if form == "pprof":
            return gzip.compress(views[form](content), mtime=0)
        if form in views:
            return views[form](content).encode()
        text = render_terminal(content, path, to_terminal)
    except ValueError as error:
        raise UserError(f"{path}: {error}") from error
    if form == "json":
        text = json.dumps(json.loads(content), indent=2, ensure_ascii=False) + "\n"
    return text.encode()


def render_terminal(content, where, is_terminal, lines=0):
    """Text of at most so many lines (0: all). Raises UserError."""
    from sparkmemprof import _store

    try:
        return _store.render_text(content, *terminal(is_terminal), lines)
    except ValueError as error:
        raise UserError(f"{where}: {error}") from error


def terminal(is_terminal):
    """(columns, colour or not) for stdout."""
    colour = is_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return (shutil.get_terminal_size((100, 24)).columns if is_terminal else 100), colour


_STDOUT = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")  # where it is a file, what others have written stays


def write_out(content, output):
    """Writes to the file, or to stdout if there is none or it is that. A pipe or a device is written to, as with
    `-o /dev/null` or a shell's `-o >(…)`; any other file is replaced, that which a link names. Raises UserError."""
    if output is not None and os.path.abspath(output) not in _STDOUT:
        if _is_stream(output):
            _write_into(content, output)
        else:
            write_file(content, os.path.realpath(output))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _is_stream(output):
    with contextlib.suppress(OSError):
        return not stat.S_ISREG(os.stat(output).st_mode)
    return False


def _write_into(content, output):
    try:
        with open(output, "wb") as file:
            file.write(content)
    except OSError as error:
        raise UserError(f"cannot write {output}: {error.strerror}") from error


def write_file(content, output):
    """Replaces the file as a whole; 0600, for a report may hold names from the user's code."""
    folder = os.path.dirname(os.path.abspath(output))
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=".sparkmemprof-", dir=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, output)
    except BaseException as error:  # a Ctrl-C, too
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        if isinstance(error, OSError):
            raise UserError(f"cannot write {output}: {error.strerror}") from error
        raise


def write_report(content, folder):
    """Writes report.json and report.html into the folder, made with mode 0700 (parents by umask). Raises UserError."""
    from sparkmemprof import _store

    try:
        try:
            os.makedirs(folder, mode=0o700)
        except FileExistsError:
            _demand_own(folder)
    except OSError as error:
        raise UserError(f"cannot make {folder}: {error.strerror}") from error
    # The longer one first: where it finds no room, both stay as they were.
    write_file(_store.render_html(content).encode(), os.path.join(folder, "report.html"))
    write_file(content, os.path.join(folder, "report.json"))


def _demand_own(path):
    for found in (os.lstat(path), os.stat(path)):  # for a link, its target as well
        if found.st_uid != os.getuid():
            raise UserError(f"{path} belongs to user {found.st_uid}, not to user {os.getuid()}")


def format_of(output):
    """The format by the file's ending; text otherwise."""
    return next((form for suffix, form in _BY_SUFFIX.items() if (output or "").endswith(suffix)), "text")


def show(path, form, output, application, measure):
    """Prints or writes the view. Raises UserError."""
    form = form or format_of(output)
    to_terminal = output is None and sys.stdout.isatty()
    if measure is not None and form != "flamegraph":
        raise UserError(f"--measure is for --format flamegraph; {form} holds every measure")
    if form == "pprof" and to_terminal:
        raise UserError("pprof is not for a terminal: write a file, e.g. -o profile.pb.gz")
    report, known = find_report(path, application)
    content = render(read_report(report), report, form, measure or "allocated", to_terminal)
    write_out(content, output)
    if known > 1 and application is None:
        print(
            f"sparkmemprof: the newest of {known} applications, {application_of(report)}; choose with --application",
            file=sys.stderr,
        )
    later = [] if application is None else later_attempts(path, application)
    if later:
        print(
            f"sparkmemprof: that is the first attempt of {application}; --application shows later ones: "
            + ", ".join(later),
            file=sys.stderr,
        )
