"""`sparkmemprof submit`: spark-submit with the profiler's settings joined to the user's own."""

import os
import pathlib
import subprocess
import sys
import time

from sparkmemprof.standard_error import say

from . import confs
from .driver_watch import DriverWatch, interval_of
from .errors import UserError
from .report_files import local_directory, newest_report
from .signals import handed_on_to
from .spark_arguments import SparkArguments, default_properties
from .spark_home import find_spark_submit

# Options of spark-submit that hide the setting of the same meaning.
_HIDING = {"spark.jars": "--jars", "spark.driver.extraJavaOptions": "--driver-java-options"}
_REPORT_DIR = "spark.memprof.report.dir"
_LOCAL_DIR = "sparkmemprof-report"  # where none is set, or what is told here can't go to the one that is


def _effective(arguments, defaults):
    """A setting's value (None: not set) as spark-submit will have it."""

    def value(key):
        given = arguments.conf(key)
        return given if given is not None else defaults.get(key)

    return value


def _is_off(value):
    return (value or "").strip().lower() == "false"


def profiled(arguments, defaults, environment=os.environ):
    """Adds the profiler to SparkArguments; returns the report directory, or None where the plugin chooses it.

    `defaults`: what spark-submit takes from properties files. Raises UserError.
    """

    effective = _effective(arguments, defaults)
    master = arguments.option("--master") or effective("spark.master") or environment.get("MASTER") or "local[*]"
    deploy_mode = arguments.option("--deploy-mode") or effective("spark.submit.deployMode")
    cluster = (deploy_mode or environment.get("DEPLOY_MODE")) == "cluster"
    pairs = confs.settings(master, arguments.own.get("--agentpath"))
    if not cluster and not _is_off(effective("spark.memprof.driver.enabled")):
        pairs += confs.driver_settings(master)
    for key, ours in pairs:
        hiding = _HIDING.get(key)
        if hiding and arguments.option(hiding) is not None:
            arguments.set_option(hiding, confs.merged(key, arguments.option(hiding), ours))
        else:
            arguments.set_conf(key, confs.merged(key, effective(key), ours))
    report_dir = effective(_REPORT_DIR)
    if not report_dir and not cluster:  # in cluster mode the driver has another machine's directories
        report_dir = "file://" + os.path.abspath(_LOCAL_DIR)
        arguments.set_conf(_REPORT_DIR, report_dir)
    return None if cluster else report_dir


def _defaults(arguments, home):
    try:
        return default_properties(arguments, home)
    except OSError as error:
        raise UserError(f"cannot read {error.filename}: {error.strerror}") from error


def _started(command, environment):
    try:
        return subprocess.Popen(command, env=environment)
    except OSError as error:
        raise UserError(f"cannot start {command[0]}: {error.strerror}") from error
    except ValueError as error:  # a NUL, from a properties file
        raise UserError(f"cannot start {command[0]}: {error}") from error


def _ran(command, environment):
    """(pid, status) of what has been run, with the signals that would have ended us."""
    with handed_on_to(lambda: _started(command, environment)) as child:
        return child.pid, child.wait()


def _say_where(directory, local, report):
    if directory is None:
        return
    if local is None:
        say(f"reports are in {directory}")
    elif report is None:
        say(f"the job left no report in {local}; its log says why")
    if report is None:
        return
    report = pathlib.Path(report)
    html = report.with_suffix(".html")
    say(f"report: {html if html.exists() else report}")


def submit(words):
    """Runs spark-submit; returns its exit status; negative: killed by that signal. Raises UserError."""
    arguments = SparkArguments(words, own=("--agentpath",))
    path, home, beside = find_spark_submit()
    environment = dict(os.environ)
    report_dir, defaults = None, {}
    # Help, version, kill and status run no application.
    if arguments.rest or arguments.option("--class"):
        defaults = _defaults(arguments, home)
        report_dir = profiled(arguments, defaults)
    if beside:
        environment["SPARK_HOME"] = home
        # As in an activated venv: the job runs with the Python that has sparkmemprof, pyspark and the user's packages.
        environment["PATH"] = os.path.dirname(sys.executable) + os.pathsep + environment.get("PATH", os.defpath)
    effective = _effective(arguments, defaults)
    local = None if report_dir is None else local_directory(report_dir)
    started = time.time()
    if report_dir is None or _is_off(effective("spark.memprof.enabled")):
        _, status = _ran([path, *arguments.line()], environment)
        written = newest_report(local, since=started) if local is not None else None  # the program may switch it on
    else:
        with _driver_watch(arguments, effective) as driver:
            pid, status = _ran([path, *arguments.line()], driver.environment(environment))
            written = driver.finish(pid, status, local or os.path.abspath(_LOCAL_DIR)) or driver.report(pid)
            if driver.folder is None and local is not None:  # nobody could say where it is
                written = newest_report(local, since=started)
    _say_where(report_dir, local, written)
    return status


def _driver_watch(arguments, effective):
    """The watch for this application's driver. Its Python process, if any, is profiled unless that was switched off.

    It is not profiled either if its code's text or names must not leave it, or are redacted by rules that only Spark
    knows.
    """
    application = arguments.rest[0] if arguments.rest else ""
    is_secret = (effective("spark.memprof.source") or "").strip().lower() in ("names", "none")
    with_python = (
        application.endswith(".py")
        and not _is_off(effective("spark.memprof.python.enabled"))
        and not is_secret
        and effective("spark.redaction.regex") is None
    )
    interval = interval_of(effective("spark.memprof.python.interval"))
    return DriverWatch(os.path.basename(application), interval, with_python)
