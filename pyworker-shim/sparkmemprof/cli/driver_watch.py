"""The driver's own processes, watched by who starts them and outlives them."""

import json
import os
import shutil
import socket
import tempfile
import time

from sparkmemprof.children import LAST_REPORT, environment_with
from sparkmemprof.standard_error import say

from . import report_places
from .errors import UserError
from .show import write_report

_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
INTERVAL_BYTES = 65_536
_OF_A_FULL_HEAP = 3  # the exit code of -XX:+ExitOnOutOfMemoryError


def interval_of(text):
    """Bytes of spark.memprof.python.interval; the default for a value that can't be parsed (the plugin reports it)."""
    text = (text or "").strip().lower().removesuffix("b")
    unit = _UNITS.get(text[-1:], 1)
    number = text[:-1] if text[-1:] in _UNITS else text
    return min(max(int(number) * unit, 1), 1 << 30) if number.isdecimal() else INTERVAL_BYTES


class DriverWatch:
    """A context: holds the boxes of the driver's Python, removes them at its end. A failure doesn't stop the job.

    `started_by`: who uses it, in words. `kind`: of what the identity is. `headlines`: of the post-mortems that finish()
    has told. `folder`: where a JVM tells of its applications (report_places). `boxes`: the folder of the boxes. Both
    are None if they couldn't be made.
    """

    def __init__(self, name, interval_bytes, with_python, started_by="sparkmemprof submit", kind="driver"):
        self.headlines = []
        self.folder = None
        self.boxes = None
        self.identity = time.strftime(f"{kind}-%Y%m%d%H%M%S-") + str(os.getpid())
        self.started_ms = int(1000 * time.time())
        self._name = name
        self._started_by = started_by
        self._interval_bytes = interval_bytes
        self._with_python = with_python
        self._kind = kind
        self._kills = None

    def __enter__(self):
        try:
            self.folder = tempfile.mkdtemp(prefix=f"sparkmemprof-{self._kind}-")
            self.boxes = os.path.join(self.folder, "boxes")
            os.mkdir(self.boxes, 0o700)
            self._kills = _memory_bounds()["oomKills"]
        except Exception as error:
            self._warn(error)
            self.__exit__()
            self.folder = self.boxes = None
        return self

    def __exit__(self, *_):
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _warn(self, error):
        say(f"the driver's own processes are not watched: {error}")

    def environment(self, environment):
        """The environment with the entries that start the profiler in the driver's Python; only that process uses them
        (startup)."""
        if self.boxes is None:
            return environment
        environment = {**environment, LAST_REPORT: self.folder}
        if not self._with_python:
            return environment
        return environment_with({**self._settings(), "pythonPath": None, "isDriver": True}, environment)

    def _settings(self):
        return {
            "boxDirectory": self.boxes,
            "applicationId": self.identity,
            "intervalBytes": self._interval_bytes,
        }

    def place_of_report(self, pid):
        """The folder of the report, or its URI, of the application that runs in that JVM; "": it has none yet; None: no
        application runs there, or none that is profiled."""
        told = report_places.running(self.folder, pid)
        return None if told is None else told.place

    def is_ending(self, pid):
        """Whether that JVM has begun to end itself because of a full heap."""
        return self.folder is not None and report_places.last_report(self.folder, pid) is not None

    def report(self, pid):
        """The report.json of the last profiled application of that JVM, or None. A spark-submit of the user's may start
        the JVM as a process of its own: then it is the only one that tells."""
        told = [] if self.folder is None else report_places.applications(self.folder)
        told = [each for each in told if each.mark != "absent"]
        jvms = {each.jvm for each in told}
        if pid not in jvms and len(jvms) == 1:
            pid = jvms.pop()
        reports = [each.report() for each in told if each.jvm == pid]
        return reports[-1] if reports else None

    def finish(self, pid, status, directory):
        """Joins what the driver's processes left with its report, and reports their deaths.

        `pid`: of its JVM, which was spark-submit. `status`: as subprocess has it.
        `directory`: where a report goes if the driver was killed and left none.
        Returns the path of the report that was written, or None.
        """
        if self.boxes is None:
            return None
        try:
            if any((each.jvm, each.mark) == (pid, "hidden") for each in report_places.applications(self.folder)):
                shutil.rmtree(self.boxes, ignore_errors=True)  # the program itself has set that its lines are not shown
            return self._finish(pid, status, self.report(pid), directory)
        except (Exception, KeyboardInterrupt) as error:
            self._warn(error)
            return None

    def _end(self, status, report_json):
        """What _store.driver_report wants to know."""
        bounds = _memory_bounds()
        counted = None
        if self._kills is not None and bounds["oomKills"] is not None:
            counted = bounds["oomKills"] - self._kills
        return {
            "report_json": report_json,
            "box_directory": self.boxes,
            "id": self.identity,
            "name": self._name,
            "host": socket.gethostname(),
            "started_ms": self.started_ms,
            "ended_ms": int(1000 * time.time()),
            "failure": "",
            "exit_status": status if status >= 0 else 128 - status,
            "exited": False,
            "jvm_killed": status < 0,
            "started_by": self._started_by,
            "kernel_kills": counted,
            "limit_bytes": bounds["limitBytes"],
            "host_memory_bytes": bounds["hostBytes"],
            "jvm_told": False,
        }

    def _finish(self, pid, status, report, directory):
        from sparkmemprof import _store

        end = self._end(status, report.read_bytes() if report is not None else b"")
        if status < 0 and report is not None and report_places.running(self.folder, pid) is None:
            end |= {"jvm_killed": False, "exited": True}  # its application had ended: that death is none of it
        last = report_places.last_report(self.folder, pid) if status == _OF_A_FULL_HEAP else None
        found = None
        if last is not None:
            found = self._driver_report({**end, "report_json": last.read_bytes(), "jvm_told": True})
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

    def _driver_report(self, end):
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
        return name if name == os.path.basename(name) and name not in ("", ".", "..") else self.identity


def _memory_bounds():
    """As _store has them; what can't be read is unknown."""
    try:
        from sparkmemprof import _store

        return _store.memory_bounds()
    except Exception:
        return {"hostBytes": 0, "limitBytes": None, "oomKills": None}
