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
from .kernel_kills import KernelKills
from .show import write_report

_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
INTERVAL_BYTES = 65_536
# Kills count that are not older than this. Of who is waited for, and ends by a signal: one is seen a moment later.
JUST_NOW_SECONDS = 10
# Where it was its Python, or a script lies between: the JVM ends its application first, and a script may do more.
_OF_LATE_SECONDS = 120
_OF_A_FULL_HEAP = 3  # the exit code of -XX:+ExitOnOutOfMemoryError
_SHELLS_SIGNAL = 128  # a shell's exit status is this and the signal's number when a signal has ended what it ran


def interval_of(text):
    """Bytes of spark.memprof.python.interval; the default for a value that can't be parsed (the plugin reports it)."""
    text = (text or "").strip().lower().removesuffix("b")
    unit = _UNITS.get(text[-1:], 1)
    number = text[:-1] if text[-1:] in _UNITS else text
    return min(max(int(number) * unit, 1), 1 << 30) if number.isdecimal() else INTERVAL_BYTES


class DriverWatch:
    """A context: holds the boxes of the driver's Python, removes them at its end. A failure doesn't stop the job.

    `started_by`: who uses it, in words. `kind`: of what the identity is. `gone`: for who doesn't wait for the end of
    what it watches: returns the pid of what has ended, or None (KernelKills). `headlines`: of the post-mortems that
    finish() has told. `folder`: where a JVM tells of its applications (report_places). `boxes`: the folder of the
    boxes. Both are None if they couldn't be made.
    """

    def __init__(
        self, name, interval_bytes, with_python, *, started_by="sparkmemprof submit", kind="driver", gone=lambda: None
    ):
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
        self._gone = gone
        self._kills = None

    def __enter__(self):
        try:
            self.folder = tempfile.mkdtemp(prefix=f"sparkmemprof-{self._kind}-")
            self.boxes = os.path.join(self.folder, "boxes")
            os.mkdir(self.boxes, 0o700)
            self._kills = KernelKills(_kills_and_room, gone=self._gone)
            self._kills.start()
        except Exception as error:
            self._warn(error)
            self.__exit__()
            self.folder = self.boxes = None
        return self

    def __exit__(self, *_):
        if self._kills is not None:
            self._kills.stop()
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
        settings = {**self._settings(), "pythonPath": None, "isDriver": True}
        return environment_with(settings, environment)

    def _settings(self):
        return {
            "boxDirectory": self.boxes,
            "applicationId": self.identity,
            "intervalBytes": self._interval_bytes,
        }

    def told(self):
        """What the JVMs have told of their applications until now (report_places)."""
        return [] if self.folder is None else report_places.applications(self.folder)

    def is_ending(self, pid):
        """Whether that spark-submit's JVM has begun to end itself because of a full heap."""
        return self.folder is not None and report_places.last_report(self.folder, jvm_of(pid, self.told())) is not None

    def patience(self, pid):
        """By what a wait for that spark-submit's JVM is to be multiplied."""
        return 1 if self.folder is None else report_places.patience(self.folder, [jvm_of(pid, self.told())])

    def report(self, pid):
        """The report.json of the last profiled application of that spark-submit, or None."""
        last = last_application(pid, self.told())
        return None if last is None else last.report()

    def finish(self, pid, status, directory):
        """Joins what the driver's processes left with its report, and reports their deaths.

        `pid`: of spark-submit. `status`: its own, as subprocess has it.
        `directory`: where a report goes if the driver was killed and left none here.
        Returns the path of the report that was written, or None.
        """
        if self.boxes is None:
            return None
        try:
            told = self.told()
            if any(each.mark == "hidden" for each in told):
                shutil.rmtree(self.boxes, ignore_errors=True)  # the program itself has set that its lines are not shown
            last = last_application(pid, told)
            if last is not None and last.still_runs():
                return None  # a script of the user's has ended before the JVM that it started
            jvm = jvm_of(pid, told)
            # The JVM itself ends with such a status, too, if its Python did; but then it has ended its application.
            if jvm != pid and status > _SHELLS_SIGNAL and last is not None and not last.has_ended:
                status = _SHELLS_SIGNAL - status
            seconds = JUST_NOW_SECONDS if status < 0 and jvm == pid else _OF_LATE_SECONDS
            return self._finish(jvm, status, last, directory, self._moment(pid, seconds))
        except (Exception, KeyboardInterrupt) as error:
            self._warn(error)
            return None

    def join(self, application, boxes, name):
        """Joins what the driver's Python, which ends in order, left in these boxes with the report of its application,
        if that has ended and its report is a local file. `boxes`: named after the id that is in them. `name`: of the
        program. May raise."""
        from sparkmemprof import _store

        report = application.report()
        content = b"{}" if report is None else report.read_bytes()
        if json.loads(content).get("unfinished", True):
            return  # its end could not be written
        end = self._end(0, report, self._moment(None, JUST_NOW_SECONDS))
        end |= {"report_json": content, "box_directory": boxes, "id": os.path.basename(boxes), "name": name}
        found = _store.driver_report(**{**end, "exited": True})
        if found is not None:
            write_report(found[0].encode(), str(report.parent))

    def _moment(self, pid, seconds):
        """Of the end of that process: when it was seen, the kernel's kills of the seconds before, and how
        full the host was."""
        lately = self._kills.within(seconds, pid)
        return {
            "ended_ms": int(1000 * lately.until),
            "kernel_kills": lately.kills,
            "kills_since_ms": int(1000 * lately.since),
            "host_available_bytes": lately.least_available,
        }

    def _end(self, status, report, moment):
        """What _store.driver_report wants to know. report: the file, or None."""
        bounds = _memory_bounds()
        return {
            **moment,
            "report_json": b"" if report is None else report.read_bytes(),
            "report_ms": 0 if report is None else int(1000 * report.stat().st_mtime),
            "box_directory": self.boxes,
            "id": self.identity,
            "name": self._name,
            "host": socket.gethostname(),
            "started_ms": self.started_ms,
            "failure": "",
            "exit_status": status if status >= 0 else 128 - status,
            "exited": False,
            "jvm_killed": status < 0,
            "started_by": self._started_by,
            "limit_bytes": bounds["limitBytes"],
            "host_memory_bytes": bounds["hostBytes"],
            "jvm_told": False,
        }

    def _finish(self, jvm, status, application, directory, moment):
        from sparkmemprof import _store

        report = None if application is None else application.report()
        end = self._end(status, report, moment)
        if status < 0 and application is not None and application.has_ended:
            end |= {"jvm_killed": False, "exited": True}  # that death is none of its application
        left = report_places.last_report(self.folder, jvm) if status == _OF_A_FULL_HEAP else None
        found = None
        if left is not None:
            found = self._driver_report({**end, "report_json": left.read_bytes(), "report_ms": 0, "jvm_told": True})
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


def jvm_of(pid, told):
    """The JVM that spark-submit, the process with this pid, has become. A script of the user's may have started it as
    a process of its own: then it is the only one that has told anything. `told`: applications."""
    jvms = {each.jvm for each in told if each.mark != "absent"}
    return jvms.pop() if pid not in jvms and len(jvms) == 1 else pid


def last_application(pid, told):
    """Of that spark-submit: the one that runs, or the last one that ran; None: none that is profiled."""
    jvm = jvm_of(pid, told)
    return next((each for each in reversed(told) if each.jvm == jvm and each.mark != "absent"), None)


def _kills_and_room():
    bounds = _memory_bounds()
    return bounds["oomKills"], bounds["availableBytes"]


def _memory_bounds():
    """As _store has them; what can't be read is unknown."""
    try:
        from sparkmemprof import _store

        return _store.memory_bounds()
    except Exception:
        return {"hostBytes": 0, "availableBytes": None, "limitBytes": None, "oomKills": None}
