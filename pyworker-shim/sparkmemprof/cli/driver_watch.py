"""The driver's own processes, watched by who starts them and outlives them."""

import json
import os
import pathlib
import shutil
import socket
import tempfile
import time

from sparkmemprof.children import environment_with
from sparkmemprof.standard_error import say

from .errors import UserError
from .report_files import local_directory
from .show import write_report

_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
INTERVAL_BYTES = 65_536
# Where the driver's JVM says in which directory its report is (ReportPlace.java), and leaves the report itself if it
# exits because of a full heap: <pid>.report.json (driver_store.h).
_LAST_REPORT = "SPARKMEMPROF_LAST_REPORT"
_PLACE = "report-place"
_OF_A_FULL_HEAP = 3  # the exit code of -XX:+ExitOnOutOfMemoryError


def interval_of(text):
    """Bytes of spark.memprof.python.interval; the default for a value that can't be parsed (the plugin reports it)."""
    text = (text or "").strip().lower().removesuffix("b")
    unit = _UNITS.get(text[-1:], 1)
    number = text[:-1] if text[-1:] in _UNITS else text
    return min(max(int(number) * unit, 1), 1 << 30) if number.isdecimal() else INTERVAL_BYTES


class DriverWatch:
    """A context: holds the boxes of the driver's Python, removes them at its end. A failure doesn't stop the job.

    `started_by`: who uses it, in words. `headlines`: of the post-mortems that finish() has told.
    """

    def __init__(self, name, interval_bytes, with_python, started_by="sparkmemprof submit"):
        self.headlines = []
        self._name = name
        self._started_by = started_by
        self._interval_bytes = interval_bytes
        self._with_python = with_python
        self._identity = time.strftime("driver-%Y%m%d%H%M%S-") + str(os.getpid())
        self._started_ms = int(1000 * time.time())
        self._boxes = None
        self._kills = None

    def __enter__(self):
        try:
            self._boxes = tempfile.mkdtemp(prefix="sparkmemprof-driver-")
            from sparkmemprof import _store

            self._kills = _store.memory_bounds()["oomKills"]
        except Exception as error:
            self._warn(error)
            self.__exit__()
            self._boxes = None
        return self

    def __exit__(self, *_):
        if self._boxes is not None:
            shutil.rmtree(self._boxes, ignore_errors=True)

    def _warn(self, error):
        say(f"the driver's own processes are not watched: {error}")

    def environment(self, environment):
        """The environment with the entries that start the profiler in the driver's Python; only that process uses them
        (startup)."""
        if self._boxes is None:
            return environment
        environment = {**environment, _LAST_REPORT: self._boxes}
        if not self._with_python:
            return environment
        settings = {
            "boxDirectory": self._boxes,
            "applicationId": self._identity,
            "intervalBytes": self._interval_bytes,
            "pythonPath": None,
            "isDriver": True,
        }
        return environment_with(settings, environment)

    def place_of_report(self, pid):
        """The folder of the report, or its URI, of the application that runs in that JVM; "": it has none yet; None: no
        application runs there, or none that is profiled."""
        try:
            return pathlib.Path(self._boxes, f"{pid}.{_PLACE}").read_text("utf-8")
        except (OSError, TypeError, ValueError):  # there is no file, or no folder, or it is no text
            return None

    def _told_report(self, pid):
        """The report.json of that application, if it is a local file."""
        place = self.place_of_report(pid)
        local = local_directory(place) if place else None
        report = None if local is None else pathlib.Path(local, "report.json")
        return report if report is not None and report.exists() else None

    def finish(self, pid, status, report, directory):
        """Joins what the driver's processes left with its report, and reports their deaths.

        `pid`: of its JVM, which was spark-submit. `status`: as subprocess has it.
        `report`: its report.json if it has ended in order, or None.
        `directory`: where a report goes if the driver was killed and left none.
        Returns the path of the report that was written, or None.
        """
        if self._boxes is None:
            return None
        try:
            return self._finish(pid, status, self._told_report(pid) or report, directory)
        except (Exception, KeyboardInterrupt) as error:
            self._warn(error)
            return None

    def _finish(self, pid, status, report, directory):
        from sparkmemprof import _store

        bounds = _store.memory_bounds()
        counted = None
        if self._kills is not None and bounds["oomKills"] is not None:
            counted = bounds["oomKills"] - self._kills
        end = {
            "report_json": report.read_bytes() if report is not None else b"",
            "box_directory": self._boxes,
            "id": self._identity,
            "name": self._name,
            "host": socket.gethostname(),
            "started_ms": self._started_ms,
            "ended_ms": int(1000 * time.time()),
            "exit_status": status if status >= 0 else 128 - status,
            "jvm_killed": status < 0,
            "started_by": self._started_by,
            "kernel_kills": counted,
            "limit_bytes": bounds["limitBytes"],
            "host_memory_bytes": bounds["hostBytes"],
            "jvm_told": False,
        }
        last = pathlib.Path(self._boxes, f"{pid}.report.json")
        found = None
        if status == _OF_A_FULL_HEAP and last.exists():
            found = self._joined({**end, "report_json": last.read_bytes(), "jvm_told": True})
        if found is None:
            found = _store.driver_report(**end)
        if found is None:
            return None  # there is nothing to add
        content, deaths = found
        if report is None and not deaths:
            return None  # its JVM left no report to join it with; its log says why
        folder = report.parent if report is not None else os.path.join(directory, self._application(content))
        written, refusal = os.path.join(folder, "report.json"), None
        try:
            write_report(content.encode(), folder)
        except UserError as error:
            written, refusal = None, error
        for headline, text in deaths:
            self.headlines.append(headline)
            say(f"post-mortem of the driver\n{text}")
        if refusal is not None:
            say(f"the report was not written: {refusal}")
        return written

    def _joined(self, end):
        """Like _store.driver_report, but None if the report has another version; its checkpoint still exists."""
        from sparkmemprof import _store

        try:
            return _store.driver_report(**end)
        except ValueError as error:
            self._warn(error)
            return None

    def _application(self, content):
        """The folder's name for a report whose driver could not write it."""
        name = json.loads(content)["application"]["id"] or ""
        return name if name == os.path.basename(name) and name not in ("", ".", "..") else self._identity
