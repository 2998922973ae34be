"""Finds report.json files, `<report directory>/<application id>/report.json`, and event logs of Spark."""

import json
import os
import pathlib

from . import event_log
from .errors import UserError

_NAME = "report.json"


def reports_in(directory):
    """The report.json files of all applications in a report directory, newest first."""
    try:
        with os.scandir(directory) as entries:
            candidates = [pathlib.Path(entry.path) / _NAME for entry in entries if entry.is_dir()]
    except OSError:
        return []
    dated = []
    for candidate in candidates:
        try:
            dated.append((candidate.stat().st_mtime, candidate))
        except OSError:
            continue
    return [path for _, path in sorted(dated, reverse=True)]


def newest_report(directory, since):
    """The newest report.json written after `since` (seconds), or None."""
    reports = reports_in(directory)
    # One second of tolerance: file systems keep coarser times than the clock.
    return reports[0] if reports and reports[0].stat().st_mtime >= since - 1 else None


def report_of(jvm_pid, directory, since):
    """The report.json written after `since` (seconds) by the driver whose JVM has this pid, or None."""
    for path in reports_in(directory):
        try:
            if path.stat().st_mtime < since - 1:
                break
            report = json.loads(path.read_bytes())
            drivers = [row for row in report["executors"] if row["id"] == "driver"]
            pids = {process["pid"] for row in drivers for process in row["processes"] if process["kind"] == "jvm"}
        except (OSError, ValueError, KeyError, TypeError):
            continue  # the report of another application
        if jvm_pid in pids:
            return path
    return None


def event_logs_in(directory):
    """The event logs, files and rolled ones, in a directory such as spark.eventLog.dir, newest first."""
    dated = []
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                path = pathlib.Path(entry.path)
                if event_log.files_of(path):
                    dated.append((entry.stat().st_mtime, path))
    except OSError:
        return []
    return [path for _, path in sorted(dated, reverse=True)]


def every_report(path):
    """The report.json or event log of each application in a directory, newest first; or `path` itself if it is one."""
    path = pathlib.Path(path)
    if path.is_file() or event_log.is_rolled(path):
        return [path]
    own = [path / _NAME] if (path / _NAME).is_file() else []
    found = {}
    for report in [*own, *reports_in(path), *event_logs_in(path)]:  # of one with both, the log has nothing to add
        found.setdefault(application_of(report), report)
    return list(found.values())


def application_of(path):
    """The application's id: for a report its folder's name, for an event log its own name."""
    return path.parent.name if path.name == _NAME else event_log.application_of(path)


def find_report(path, application=None):
    """(report.json or event log, how many applications there were to choose from). Raises UserError."""
    path = pathlib.Path(path)
    try:
        if path.is_file():
            return path, 1
        if not path.is_dir():
            raise UserError(f"no such file or directory: {path}")
        if application is None and (path / _NAME).is_file():
            return path / _NAME, 1
        os.listdir(path)
        if event_log.is_rolled(path):
            return path, 1
    except PermissionError as error:
        raise UserError(f"no access to {error.filename}; reports belong to the user who ran the job") from error
    reports = reports_in(path) or event_logs_in(path)
    if application is not None:
        chosen = [report for report in reports if application_of(report) == application]
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
