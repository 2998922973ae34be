"""A program of `sparkmemprof run`, which may be the driver of a Spark application that has the profiler."""

import json
import os
import time

from sparkmemprof.children import environment_with
from sparkmemprof.standard_error import say

from . import report_places
from .driver_watch import JUST_NOW_SECONDS, DriverWatch
from .report_files import local_directory

# The JVM of a program that doesn't stop its SparkContext ends after the program.
_MOST_WAIT_SECONDS = 60
_SAY_SECONDS = 2
_POLL_SECONDS = 0.05
_OF_PROGRAM = ("box_directory", "id", "name", "host", "failure", "started_ms", "ended_ms")


class ProgramWatch(DriverWatch):
    """As DriverWatch; all of the program's Python processes are profiled.

    `hides`: whether one of its Spark applications must not show what the program held; known after joined().
    """

    def __init__(self, name, interval_bytes):
        super().__init__(name, interval_bytes, with_python=True, started_by="sparkmemprof run", kind="program")
        self.hides = False
        self._waits = True

    def environment(self, environment):
        """The environment in which the program is profiled. The program itself does not see it (startup)."""
        if self.boxes is None:
            return environment
        settings = {**self._settings(), "pythonPath": environment.get("PYTHONPATH"), "reportPlaces": self.folder}
        return environment_with(settings, environment)

    def _warn(self, error):
        say(f"the program is not profiled: {error}")

    def stop_waiting(self):
        """joined() waits no longer. False: it was told so before. Safe in a signal's handler."""
        waited, self._waits = self._waits, False
        return waited

    def end_of_program(self, status, failure):
        """What the reports want to know, asked when the program has just ended: kernel kills are counted until now.

        `status`: as subprocess has it. `failure`: in words; "": it ended well.
        """
        # A JVM that is killed leaves no report of an end; so whoever was killed is the program.
        return {
            **self._end(status, None, self._moment(None, JUST_NOW_SECONDS)),
            "jvm_killed": False,
            "exited": status >= 0,
            "failure": failure,
        }

    def own_report(self, pid, end):
        """The report.json of the program alone. `pid`: its first process's. `end`: of end_of_program. Raises ValueError
        when no process left a box."""
        from sparkmemprof import _store

        return _store.program_report(pid=pid, **{name: end[name] for name in _OF_PROGRAM})

    def joined(self, end, directory):
        """(report.json, its folder) of the Spark application whose driver the program was, with what the program held.

        Waits for the application's end. `end`: of end_of_program. `directory`: where a report goes that the JVM could
        not write. None, and where the reports are is said: the program was no driver, or that of several applications;
        or the report is no local file, or must not show what the program held.
        """
        self._await_application()
        applications = report_places.applications(self.folder)
        self.hides = any(each.mark == "hidden" for each in applications)
        found = None
        try:
            if _may_join(applications):
                found = self._join(applications[0], end, directory)
        except Exception as error:
            say(f"what the program held is not in the report of its Spark application: {error}")
        if found is None:
            for application in applications:
                _say_where(application)
        return found

    def _join(self, application, end, directory):
        from sparkmemprof import _store

        report = application.report()
        if application.has_ended:
            content = b"{}" if report is None else report.read_bytes()
            if json.loads(content).get("unfinished", True):
                return None  # its end could not be written
            found = _store.driver_report(**{**end, "report_json": content})
        else:
            last = report_places.last_report(self.folder, application.jvm)
            if last is None or application.still_runs():
                return None
            found = _store.driver_report(**{**end, "report_json": last.read_bytes(), "jvm_told": True})
        if found is None:
            return None
        folder = report.parent if report is not None else os.path.join(directory, self._application(found[0]))
        return found[0], str(folder)

    def _await_application(self):
        began = time.monotonic()
        said = False
        while self._waits and time.monotonic() - began < _MOST_WAIT_SECONDS:
            applications = report_places.applications(self.folder)
            if not _may_join(applications) or not applications[0].still_runs():
                return
            if not said and time.monotonic() - began > _SAY_SECONDS:
                say("the program has ended; waiting for its Spark application")
                said = True
            time.sleep(_POLL_SECONDS)


def _may_join(applications):
    """The program's peak can't be divided among several."""
    return [each.mark for each in applications] == ["shown"]


def _say_where(application):
    place = application.place
    if application.mark == "absent":
        say("a Spark application of the program is not profiled")
    elif not application.has_ended:
        state = "still runs" if application.still_runs() else "has died"
        say(f"the JVM of a Spark application of the program {state}; what is known is in {place or 'no report'}")
    else:
        where = os.path.join(local_directory(place) or place, "report.html") if place else "none; its log says why"
        say(f"report of a Spark application of the program: {where}")
