"""What the JVM of a Spark application says to the process that watches it, in a private folder of that process's.

ReportPlace.java writes `<pid>.report-place` while an application runs, and adds that file's line to
`<pid>.ended-reports` when it has ended (without room for the line it is the file itself, `<pid>.last.ended-reports`).
A JVM that exits because of a full heap leaves the report itself, `<pid>.report.json` (last_report.h). `<pid>.patience`
is its `spark.memprof.patience`, unless that is 1. The program that has started a JVM leaves its status,
`<pid>.jvm-status` (jvm_end.py).
"""

import pathlib
from typing import NamedTuple

from sparkmemprof.patience import patience_of

from .report_files import local_directory

_RUNNING, _ENDED = ".report-place", ".ended-reports"


class Application(NamedTuple):
    """An application of a JVM that was given the folder's name."""

    jvm: int  # the pid
    # Whether its report may show what the driver's Python held: "shown", "hidden"; "absent": it isn't profiled.
    mark: str
    place: str  # the report's folder, or its URI; "": it has none yet, or never had one
    has_ended: bool

    def report(self):
        """Its report.json if that is a local file, or None."""
        folder = local_directory(self.place) if self.place else None
        path = None if folder is None else pathlib.Path(folder, "report.json")
        try:
            return path if path is not None and path.exists() else None
        except OSError:
            return None

    def still_runs(self):
        """It hasn't ended, and its JVM lives."""
        try:
            stat = "" if self.has_ended else pathlib.Path(f"/proc/{self.jvm}/stat").read_text("ascii", errors="replace")
        except OSError:
            return False
        return stat.rpartition(")")[2].split()[:1] not in ([], ["Z"], ["X"])

    def has_died(self):
        """Its JVM ended before it did."""
        return self.mark != "absent" and not self.has_ended and not self.still_runs()


def applications(folder):
    """All of them: those that have ended, then those that run or whose JVM has died."""
    # Read in this order, no one that ends meanwhile is missed; it is in both.
    running = [each for file in sorted(pathlib.Path(folder).glob(f"*{_RUNNING}")) for each in _of_file(file)]
    ended = [each for file in sorted(pathlib.Path(folder).glob(f"*{_ENDED}")) for each in _of_file(file)]
    return ended + [each for each in running if each._replace(has_ended=True) not in ended]


def may_join(found):
    """Of applications(): whether there was one in all, whose report may show the program. A program's peak can't be
    divided among several."""
    return [each.mark for each in found] == ["shown"]


def last_report(folder, jvm):
    """The report.json that this JVM has left because its heap was full, or None."""
    path = pathlib.Path(folder, f"{jvm}.report.json")
    return path if path.exists() else None


def status_of(folder, jvm):
    """How that JVM ended, as subprocess has it; None: nobody could say."""
    try:
        return int(pathlib.Path(folder, f"{jvm}.jvm-status").read_text("ascii"))
    except (OSError, ValueError):
        return None


def patience(folder, jvms):
    """By what a wait for these JVMs is to be multiplied."""
    return max([1, *(_patience_in(pathlib.Path(folder, f"{jvm}.patience")) for jvm in jvms)])


def _patience_in(file):
    try:
        return patience_of(file.read_text("ascii"))
    except (OSError, ValueError):
        return 1


def _of_file(file):
    jvm = int(file.name.partition(".")[0])
    try:
        lines = file.read_text("utf-8").splitlines()
    except (OSError, ValueError):  # the application has just ended, or it is no text
        return []
    words = [line.partition(" ") for line in lines]
    return [Application(jvm, mark, place, file.name.endswith(_ENDED)) for mark, _, place in words]
