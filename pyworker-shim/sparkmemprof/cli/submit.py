"""`sparkmemprof submit`: spark-submit with the profiler's settings joined to the user's own."""

import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

from . import confs
from .driver_watch import DriverWatch, interval_of
from .report_files import local_directory, newest_report
from .signals import reaches_children, received_by
from .spark_arguments import SparkArguments, default_properties
from .spark_home import find_spark_submit

# Options of spark-submit that hide the setting of the same meaning.
_HIDING = {"spark.jars": "--jars", "spark.driver.extraJavaOptions": "--driver-java-options"}
_REPORT_DIR = "spark.memprof.report.dir"


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
        report_dir = "file://" + os.path.abspath("sparkmemprof-report")
        arguments.set_conf(_REPORT_DIR, report_dir)
    return None if cluster else report_dir


def _wait(child):
    """Waits for the child and passes on signals that would end us."""

    def hand_on(number, _frame):
        if not reaches_children(number):
            child.send_signal(number)

    with received_by(hand_on):
        return child.wait()


def _say_where(directory, local, report):
    if directory is None:
        return
    if local is None:
        print(f"sparkmemprof: reports are in {directory}", file=sys.stderr)
        return
    if report is None:
        print(f"sparkmemprof: the job left no report in {local}; its log says why", file=sys.stderr)
        return
    report = pathlib.Path(report)
    html = report.with_suffix(".html")
    print(f"sparkmemprof: report: {html if html.exists() else report}", file=sys.stderr)


def submit(words):
    """Runs spark-submit; returns its exit status, or ends by the signal that ended it. Raises UserError."""
    arguments = SparkArguments(words, own=("--agentpath",))
    path, home, beside = find_spark_submit()
    environment = dict(os.environ)
    report_dir, defaults = None, {}
    # Help, version, kill and status run no application.
    if arguments.rest or arguments.option("--class"):
        defaults = default_properties(arguments, home)
        report_dir = profiled(arguments, defaults)
    if beside:
        environment["SPARK_HOME"] = home
        # As in an activated venv: the job runs with the Python that has sparkmemprof, pyspark and the user's packages.
        environment["PATH"] = os.path.dirname(sys.executable) + os.pathsep + environment.get("PATH", os.defpath)
    effective = _effective(arguments, defaults)
    local = None if report_dir is None else local_directory(report_dir)
    started = time.time()
    if local is None or _is_off(effective("spark.memprof.enabled")):
        status = _wait(subprocess.Popen([path, *arguments.line()], env=environment))
        written = newest_report(local, since=started) if local is not None else None  # the program may switch it on
    else:
        with _driver_watch(arguments, effective) as driver:
            child = subprocess.Popen([path, *arguments.line()], env=driver.environment(environment))
            status = _wait(child)
            written = driver.finish(child.pid, status, local) or driver.report(child.pid)
            if driver.folder is None:  # nobody could say where it is
                written = newest_report(local, since=started)
    _say_where(report_dir, local, written)
    return status if status >= 0 else _die_of(-status)


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


def _die_of(number):
    """Ends this process by the signal that ended spark-submit, as after exec, but without a second core file."""
    sys.stderr.flush()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    return 128 + number
