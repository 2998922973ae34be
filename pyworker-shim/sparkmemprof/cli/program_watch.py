"""A program of `sparkmemprof run`, which may be the driver of a Spark application that has the profiler."""

import contextlib
import json
import os
import time

from sparkmemprof.children import environment_with
from sparkmemprof.standard_error import say

from . import report_places
from .driver_watch import JUST_NOW_SECONDS, DriverWatch, last_application
from .program_notes import NotesForProgram
from .report_files import local_directory
from .show import write_report

# The JVM of a program that doesn't stop its SparkContext ends after the program.
_MOST_WAIT_SECONDS = 60
_SAY_SECONDS = 2
_POLL_SECONDS = 0.05
_OF_PROGRAM = ("box_directory", "id", "name", "host", "failure", "started_ms", "ended_ms")


class ProgramWatch(DriverWatch):
    """As DriverWatch; all of the program's Python processes are profiled.

    `directory`: where a report goes that the JVM could not write. `hides`: whether one of its Spark applications must
    not show what the program held; known after joined().
    """

    def __init__(self, name, interval_bytes, directory):
        super().__init__(
            name, interval_bytes, with_python=True, started_by="sparkmemprof run", kind="program", gone=self._dead_jvm
        )
        self.hides = False
        self._directory = directory
        self._waits = True

    def __enter__(self):
        super().__enter__()
        if self.folder is not None:
            with contextlib.suppress(Exception):  # exceptions then have no note
                NotesForProgram(self.folder, self._note_of)
        return self

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

    def joined(self, end):
        """(report.json, its folder) of the Spark application whose driver the program was, with what the program held.

        Waits for the application's end. `end`: of end_of_program. None, and where the reports are is said: the program
        was no driver, or that of several applications; or the report is no local file, or must not show what the
        program held. Applications whose JVM was killed then have post-mortems in their own reports.
        """
        self._await_application()
        applications = report_places.applications(self.folder)
        self.hides = any(each.mark == "hidden" for each in applications)
        found = None
        try:
            if report_places.may_join(applications):
                found = self._join(applications[0], end)
        except Exception as error:
            say(f"what the program held is not in the report of its Spark application: {error}")
        if found is None:
            for application in applications:
                self._tell_killed(application, end)
        for application in applications if found is None or applications[0].report() is None else ():
            _say_where(application)
        return found

    def _join(self, application, end):
        from sparkmemprof import _store

        report = application.report()
        if application.has_ended:
            content = b"{}" if report is None else report.read_bytes()
            if json.loads(content).get("unfinished", True):
                return None  # its end could not be written
            found = _store.driver_report(**{**end, "report_json": content})
        else:
            if application.still_runs():
                return None
            last = report_places.last_report(self.folder, application.jvm)
            if last is not None:
                found = _store.driver_report(**{**end, "report_json": last.read_bytes(), "jvm_told": True})
            else:
                found = self._of_killed_jvm(application, end)
        if found is None:
            return None
        return found[0], self._folder_of(application, found[0])

    def _folder_of(self, application, content):
        report = application.report()
        return str(report.parent if report is not None else os.path.join(self._directory, self._application(content)))

    def _dead_jvm(self):
        """The last one that ended before its application did, or None. Never raises."""
        try:
            return next((each.jvm for each in reversed(self.told()) if each.has_died()), None)
        except (OSError, ValueError):
            return None

    def _of_killed_jvm(self, application, end):
        """(report.json, the JVM's post-mortem) of the application with what the boxes hold; None: nobody has killed its
        JVM, or how that ended is not known."""
        from sparkmemprof import _store

        status = report_places.status_of(self.folder, application.jvm)
        if status is None or status >= 0 or not application.has_died():
            return None
        report = application.report()
        found = _store.driver_report(
            **{
                **self._end(status, report, self._moment(application.jvm, JUST_NOW_SECONDS)),
                "box_directory": end["box_directory"],
                "failure": end["failure"],
                "started_by": "the program of sparkmemprof run",
            }
        )
        return found if found is not None and found[1] else None

    def _tell_killed(self, application, end):
        """Puts the post-mortem of its JVM, if that was killed, into the application's own report, and nothing else."""
        try:
            found = self._of_killed_jvm(application, self._without_program(end))
            if found is None:
                return
            content, deaths = found
            for _, text in deaths:
                say(f"post-mortem of the driver\n{text}")
            write_report(content.encode(), self._folder_of(application, content))
        except Exception as error:
            say(f"the report has no post-mortem of the driver: {error}")

    def _without_program(self, end):
        return {**end, "box_directory": os.path.join(self.folder, "none")}

    def _note_of(self, jvm):
        """For the program, which goes on; its post-mortem is written when it has ended."""
        from sparkmemprof import _store

        application = last_application(jvm, self.told())
        if application is None or not application.has_died():
            return ""
        self._kills.look()  # from now on it is known when that JVM was found gone
        end = self._without_program(self.end_of_program(0, ""))
        last = report_places.last_report(self.folder, jvm)
        if last is not None:
            found = _store.driver_report(**{**end, "report_json": last.read_bytes(), "jvm_told": True})
        else:
            found = self._of_killed_jvm(application, end)
        if found is None or not found[1]:
            return ""
        content, ((headline, _), *_) = found
        folder = os.path.abspath(self._folder_of(application, content))
        return f"sparkmemprof: {headline}\nIts post-mortem, when this program has ended: {folder}"

    def _await_application(self):
        began = time.monotonic()
        said = False
        while self._waits:
            applications = report_places.applications(self.folder)
            most = _MOST_WAIT_SECONDS * report_places.patience(self.folder, [each.jvm for each in applications])
            if time.monotonic() - began >= most:
                return
            if not report_places.may_join(applications) or not applications[0].still_runs():
                return
            if not said and time.monotonic() - began > _SAY_SECONDS:
                say("the program has ended; waiting for its Spark application")
                said = True
            time.sleep(_POLL_SECONDS)


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
