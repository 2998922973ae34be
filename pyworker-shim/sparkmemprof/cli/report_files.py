"""Finds report.json files, `<report directory>/<application id>/report.json`, and event logs of Spark."""

import os
import pathlib
import re
import stat

from . import event_log
from .errors import UserError

_NAME = "report.json"
_SCHEME = re.compile("[A-Za-z][A-Za-z0-9+.-]*:/")  # of a URI; Hadoop takes one slash, too


def local_directory(directory):
    """The local path of a report directory, or None if it is elsewhere (HDFS, an object store)."""
    if directory.startswith("file:"):
        path = directory[len("file:") :]
        return "/" + path.lstrip("/")
    return None if _SCHEME.match(directory) else os.path.abspath(directory)


def reports_in(directory):
    """The report.json files of all applications in a report directory, newest first."""
    return _readable(directory, lambda path: [path / _NAME] if path.is_dir() else [])


def newest_report(directory, since):
    """The newest report.json written after `since` (seconds), or None."""
    reports = reports_in(directory)
    # One second of tolerance: file systems keep coarser times than the clock.
    return reports[0] if reports and reports[0].stat().st_mtime >= since - 1 else None


def event_logs_in(directory):
    """The event logs, files and rolled ones, in a directory such as spark.eventLog.dir, newest first."""
    return _readable(directory, lambda path: [path] if event_log.files_of(path) else [])


def _newest_first(directory, reports_of):
    """([what `reports_of` finds of a directory's entries], [(entry that can't be read, reason)]). Raises OSError."""
    dated, refused = [], []
    for name in os.listdir(directory):
        entry = pathlib.Path(directory, name)
        try:
            dated += [(found.stat().st_mtime, found) for found in reports_of(entry)]
        except OSError as error:
            refused.append((entry, error.strerror))
    return [path for _, path in sorted(dated, reverse=True)], refused


def _readable(directory, reports_of):
    try:
        return _newest_first(directory, reports_of)[0]
    except OSError:
        return []


def every_report(path):
    """([(report.json or event log, its application's name)], newest first; [(entry that can't be read, reason)]).

    Of a directory, or `path` itself if it is one. An application with a report and an event log has two entries. Raises
    OSError.
    """
    path = pathlib.Path(path)
    if not path.is_dir() or event_log.is_rolled(path):
        return [(path, _name_of(path))], []
    reports, refused = _newest_first(path, _reports_of)
    return [(found, _name_of(found)) for found in reports], refused


def _reports_of(path):
    """The report that an entry of a directory holds or is."""
    if path.name == _NAME:
        return [path]
    if path.is_symlink() and path.is_dir():
        return []  # "latest": the directory that it names is there as well
    if path.is_dir() and not event_log.is_rolled(path):
        return [path / _NAME] if _NAME in os.listdir(path) else []
    return [path] if event_log.files_of(path) else []


def _name_of(path):
    """The application's, without the number of YARN's first attempt, which an event log's name has and a report's has
    not (ReportDirectory.java). Later attempts are applications of their own."""
    return re.sub(r"^(application_\d+_\d+)_1$", r"\1", application_of(path))


def application_of(path):
    """The application's id: for a report its folder's name, for an event log its own name."""
    return path.parent.name if path.name == _NAME else event_log.application_of(path)


def find_report(path, application=None):
    """(report.json or event log, how many applications there were to choose from). Raises UserError."""
    path = pathlib.Path(path)
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISREG(mode):
            return _demand_of(application, path), 1
        if not stat.S_ISDIR(mode):
            raise UserError(
                f"neither a file nor a directory: {path}\n  write what comes through a pipe to a file first"
            )
        if (path / _NAME).is_file() and _is_of(application, path / _NAME):
            return path / _NAME, 1
        os.listdir(path)
        if event_log.is_rolled(path):
            return _demand_of(application, path), 1
    except PermissionError as error:
        raise UserError(f"no access to {error.filename}; reports belong to the user who ran the job") from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise UserError(f"no such file or directory: {path}") from error
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    own = [path / _NAME] if (path / _NAME).is_file() else []  # of another application than is asked for
    reports = own + reports_in(path) or event_logs_in(path)
    if application is not None:
        chosen = [report for report in reports if _is_of(application, report)]
        if not chosen:
            known = ", ".join(application_of(report) for report in reports[:5]) or "none"
            raise UserError(f"no report of application {application!r} in {path}; there: {known}")
        return chosen[0], len(reports)
    if not reports:
        raise UserError(
            f"no report in {path}: neither {_NAME} nor <application id>/{_NAME}, nor an event log of Spark\n"
            "  the driver's log says where the report went (spark.memprof.report.dir)"
        )
    return reports[0], len(reports)


def _is_of(application, report):
    """Whether the report or event log has this application's name. None: any application."""
    report = pathlib.Path(os.path.realpath(report))  # its folder's name is asked for; "latest" is a link
    return application is None or application in (application_of(report), _name_of(report))


def _demand_of(application, report):
    """The report or event log. UserError if it hasn't this application's name."""
    if _is_of(application, report):
        return report
    raise UserError(
        f"{report} is not named after application {application!r}\n"
        "  --application chooses one in a directory: give that, or leave --application out"
    )


def later_attempts(directory, application):
    """The names under which a directory has YARN's later attempts of this application, the first one first."""
    names = {application_of(found) for found in reports_in(directory) or event_logs_in(directory)}
    numbers = {name: re.fullmatch(re.escape(application) + r"_(\d+)", name) for name in names}
    later = {int(found[1]): name for name, found in numbers.items() if found and int(found[1]) > 1}
    return [later[number] for number in sorted(later)]
