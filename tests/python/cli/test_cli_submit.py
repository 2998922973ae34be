"""`sparkmemprof submit`: nothing of the user's is lost, and spark-submit's exit status is kept."""

import errno
import importlib
import json
import os
import pathlib
import signal
import subprocess
import sys

import processes
import pytest
from processes import patient, until

PLUGIN = "org.sparkmemprof.MemoryProfilerPlugin"


def test_adds_the_profiler_before_the_application(cli, fake_spark, bundle, tmp_path):
    finished = cli("submit", "job.py", "--conf", "mine=1", env=fake_spark.env)
    assert finished.returncode == 0, finished.stderr
    assert fake_spark.argv[-3:] == ["job.py", "--conf", "mine=1"], "the application's own arguments stay its own"
    argv = fake_spark.argv[:-3]
    confs = dict(word.split("=", 1) for word in argv[1::2])
    assert confs == {
        "spark.jars": f"{bundle}/sparkmemprof.jar",
        "spark.plugins": PLUGIN,
        "spark.driver.extraJavaOptions": f"-agentpath:{bundle}/libsparkmemprof.so",
        "spark.memprof.report.dir": f"file://{tmp_path}/sparkmemprof-report",
    }
    assert finished.stdout == "from the job\n"


def test_settings_of_the_user_are_joined(cli, fake_spark, bundle):
    cli(
        *(
            "submit",
            "--master",
            "local-cluster[2,1,1024]",
            "-c",
            "spark.jars=/a.jar,/b.jar",
            "--conf",
            "spark.plugins=x.Y",
        ),
        *("--conf=spark.executor.extraJavaOptions=-Xss4m -Dname=some value", "--conf", "spark.app.name=a name"),
        *("--conf", "spark.memprof.report.dir=out", "--name", "n", "--verbose", "job.py"),
        env=fake_spark.env,
    )
    confs = fake_spark.confs()
    assert confs["spark.jars"] == f"/a.jar,/b.jar,{bundle}/sparkmemprof.jar"
    assert confs["spark.plugins"] == f"x.Y,{PLUGIN}"
    assert confs["spark.executor.extraJavaOptions"] == (
        f"-Xss4m -Dname=some value -agentpath:{bundle}/libsparkmemprof.so"
    )
    assert confs["spark.app.name"] == "a name"
    assert confs["spark.memprof.report.dir"] == "out"
    assert "--verbose" in fake_spark.argv


@pytest.mark.parametrize("master", ["local-cluster[2,1,1024]", "spark://host:7077", "yarn"])
def test_a_driver_of_its_own_is_profiled_where_it_starts(cli, fake_spark, bundle, master):
    agent = f"-agentpath:{bundle}/libsparkmemprof.so"
    cli("submit", "--master", master, "--driver-java-options", "-Xss4m", "job.py", env=fake_spark.env)
    assert fake_spark.argv[fake_spark.argv.index("--driver-java-options") + 1] == f"-Xss4m {agent}"
    for more in (["--deploy-mode", "cluster"], ["--conf", "spark.memprof.driver.enabled=false"]):
        cli("submit", "--master", master, *more, "job.py", env=fake_spark.env)
        assert "spark.driver.extraJavaOptions" not in fake_spark.confs()


def test_options_that_hide_a_setting_get_ours_too(cli, fake_spark, bundle):
    cli("submit", "--jars", "/a.jar", "--driver-java-options", "-Xss4m", "job.py", env=fake_spark.env)
    argv = fake_spark.argv
    assert argv[argv.index("--jars") + 1] == f"/a.jar,{bundle}/sparkmemprof.jar"
    assert argv[argv.index("--driver-java-options") + 1] == f"-Xss4m -agentpath:{bundle}/libsparkmemprof.so"
    assert "spark.jars" not in fake_spark.confs()


def test_the_last_of_a_repeated_setting_counts_as_for_spark_submit(cli, fake_spark):
    cli("submit", "--conf", "spark.plugins=first", "--conf", "spark.plugins=last", "job.py", env=fake_spark.env)
    assert fake_spark.confs()["spark.plugins"] == f"last,{PLUGIN}"


def test_defaults_files_are_joined(cli, fake_spark, tmp_path):
    fake_spark.defaults("# ours\nspark.plugins  from.Defaults\nspark.master=local-cluster[1,1,1024]\n")
    cli("submit", "job.py", env=fake_spark.env)
    assert fake_spark.confs()["spark.plugins"] == f"from.Defaults,{PLUGIN}"
    assert "spark.executor.extraJavaOptions" in fake_spark.confs(), "the master is theirs"

    (tmp_path / "own.properties").write_text("spark.plugins: from.File\nspark.jars = \\\n   /c.jar\n")
    cli("submit", "--properties-file", "own.properties", "job.py", env=fake_spark.env)
    assert fake_spark.confs()["spark.plugins"] == f"from.File,{PLUGIN}"
    assert fake_spark.confs()["spark.jars"].startswith("/c.jar,")
    assert "spark.executor.extraJavaOptions" not in fake_spark.confs(), "spark-submit reads one file"


def test_what_the_user_already_has_is_not_added_twice(cli, fake_spark, bundle):
    first = cli("conf", "--master", "local[*]").stdout.split()
    cli("submit", *first, "job.py", env=fake_spark.env)
    confs = fake_spark.confs()
    assert confs["spark.plugins"] == PLUGIN
    assert confs["spark.jars"] == f"{bundle}/sparkmemprof.jar"
    own = "-agentpath:/opt/libsparkmemprof.so=interval=1m"
    cli("submit", "--conf", f"spark.driver.extraJavaOptions={own}", "job.py", env=fake_spark.env)
    assert fake_spark.confs()["spark.driver.extraJavaOptions"] == own


def test_cluster_mode_leaves_the_report_directory_to_the_driver(cli, fake_spark):
    finished = cli("submit", "--master", "yarn", "--deploy-mode", "cluster", "job.py", env=fake_spark.env)
    assert "spark.memprof.report.dir" not in fake_spark.confs()
    cli("submit", "--master", "yarn", "job.py", env={**fake_spark.env, "DEPLOY_MODE": "cluster"})
    assert "spark.memprof.report.dir" not in fake_spark.confs(), "Spark reads it, too"
    assert finished.stderr == ""


def test_agentpath_is_ours_and_not_for_spark_submit(cli, fake_spark, library):
    cli("submit", "--master", "spark://h:7077", "--agentpath", library, "job.py", env=fake_spark.env)
    assert fake_spark.confs()["spark.executor.extraJavaOptions"] == f"-agentpath:{library}"
    assert "--agentpath" not in fake_spark.argv


@pytest.mark.parametrize("more", [(), ("--deploy-mode", "cluster")])
def test_executors_on_yarn_get_the_jar_alone_unless_they_are_to_have_more(cli, fake_spark, bundle, more):
    """One that can't load the library that -agentpath names would not start."""
    yarn = ("submit", "--master", "yarn", *more)
    cli(*yarn, "job.py", env=fake_spark.env)
    confs = fake_spark.confs()
    assert confs["spark.jars"] == f"{bundle}/sparkmemprof.jar"
    assert not {"spark.executor.extraJavaOptions", "spark.yarn.dist.files"} & set(confs)
    mine = ("--conf", "spark.yarn.dist.files=words.txt")
    cli(*yarn, "--agentpath", "shipped", *mine, "job.py", env=fake_spark.env)
    confs = fake_spark.confs()
    assert confs["spark.executor.extraJavaOptions"] == "-agentpath:./libsparkmemprof.so"
    assert confs["spark.yarn.dist.files"] == f"words.txt,file://{bundle}/libsparkmemprof.so"
    assert "--agentpath" not in fake_spark.argv


def test_a_bad_library_submits_nothing(cli, fake_spark):
    finished = cli("submit", "--agentpath", "/none.so", "job.py", env=fake_spark.env)
    assert finished.returncode == 2
    assert "no such library: /none.so" in finished.stderr
    assert not fake_spark.record.exists()


@pytest.mark.parametrize("words", [["--version"], ["--status", "driver-1"], ["--kill", "driver-1"]])
def test_what_runs_no_application_is_handed_on_as_it_is(cli, fake_spark, words):
    cli("submit", *words, env=fake_spark.env)
    assert fake_spark.argv == words


@pytest.mark.parametrize("status", [0, 1, 42])
def test_exit_status_is_kept(cli, fake_spark, status):
    assert cli("submit", "job.py", env={**fake_spark.env, "FAKE_STATUS": str(status)}).returncode == status


def test_death_by_signal_is_kept(cli, fake_spark):
    job = "os.kill(os.getpid(), signal.SIGKILL)"
    assert cli("submit", "job.py", env={**fake_spark.env, "FAKE_JOB": job}).returncode == -signal.SIGKILL


def test_no_room_for_the_drivers_boxes_is_no_reason_not_to_run(package, tmp_path):
    code = """
import tempfile

def full(**_):
    raise OSError("no space left")

tempfile.mkdtemp = full
from sparkmemprof.cli.driver_watch import DriverWatch
with DriverWatch("job.py", 65536, True) as driver:
    print(driver.environment({"A": "1"}), driver.finish(17, 3, "reports"))
"""
    finished = processes.run(
        [sys.executable, "-c", code], 60, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(package)}
    )
    assert finished.stdout == "{'A': '1'} None\n"
    assert finished.stderr == "sparkmemprof: the driver's own processes are not watched: no space left\n"
    assert list(tmp_path.iterdir()) == []


def test_the_drivers_python_alone_is_started_by_us(cli, fake_spark):
    # The fake's own Python has cleaned os.environ; and the job's text is in the environment, too.
    handed = "print('SPARKMEMPROF_' + 'PROGRAM=' in open('/proc/self/environ').read())"
    left = "print('SPARKMEMPROF_PROGRAM' in os.environ, 'startup' in os.environ.get('PYTHONPATH', ''))"
    for words, is_handed in [
        (["job.py"], True),
        (["--conf", "spark.memprof.python.enabled=False", "job.py"], False),
        (["--conf", "spark.memprof.enabled=false", "job.py"], False),
        (["--conf", "spark.memprof.source=names", "job.py"], False),
        (["--conf", "spark.redaction.regex=token", "job.py"], False),
        (["--class", "org.Main", "job.jar"], False),
    ]:
        finished = cli("submit", *words, env={**fake_spark.env, "FAKE_JOB": f"{handed}; {left}"})
        assert finished.stdout.splitlines()[:2] == [str(is_handed), "False False"], words
    fake_spark.defaults("spark.master local[2]\nspark.memprof.python.enabled FALSE\n")
    assert cli("submit", "job.py", env={**fake_spark.env, "FAKE_JOB": handed}).stdout.startswith("False")


def test_only_the_report_of_its_own_driver_is_joined(cli, fake_spark, tmp_path):
    """Another application's report in the same directory, written meanwhile, stays as it is; in containers that share
    that directory the drivers' pids may be equal."""
    report = '{"executors": [{"id": "driver", "processes": [{"kind": "jvm", "pid": %d}]}]}'
    job = (
        "d = pathlib.Path('sparkmemprof-report/app-1'); d.mkdir(parents=True);"
        f"(d / 'report.json').write_text({report!r} % os.getpid()); sys.stdout.flush();"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    finished = cli("submit", "job.py", env={**fake_spark.env, "FAKE_JOB": job})
    assert finished.returncode == -signal.SIGKILL
    of_another = json.loads((tmp_path / "sparkmemprof-report/app-1/report.json").read_text())
    assert list(of_another) == ["executors"]
    assert "post-mortem of the driver" in finished.stderr
    (own,) = (tmp_path / "sparkmemprof-report").glob("driver-*/report.json")
    (death,) = json.loads(own.read_text())["postMortems"]
    assert (death["process"], death["exitCode"], death["outOfMemory"]) == ("jvm", 137, False)


def test_says_where_the_report_is(cli, fake_spark, tmp_path):
    report = '{"schemaVersion": 1, "application": {"id": "app-1"}, "executors": [], "stages": []}'
    job = (
        "d = pathlib.Path('sparkmemprof-report/app-1'); d.mkdir(parents=True);"
        f"(d / 'report.json').write_text({report!r}); (d / 'report.html').write_text('x');"
        "folder = os.environ['SPARKMEMPROF_LAST_REPORT'];"
        "pathlib.Path(folder, f'{os.getpid()}.ended-reports').write_text(f'shown {d.absolute()}');"
        "other = pathlib.Path('sparkmemprof-report/app-2'); other.mkdir();"
        "(other / 'report.json').write_text('{}')"  # of another application: the newest
    )
    finished = cli("submit", "job.py", env={**fake_spark.env, "FAKE_JOB": job})
    assert finished.stderr == f"sparkmemprof: report: {tmp_path}/sparkmemprof-report/app-1/report.html\n"


@pytest.mark.parametrize(("told", "deaths"), [("report-place", 1), ("ended-reports", 0), ("last.ended-reports", 0)])
def test_a_jvm_that_is_killed_after_its_applications_end_has_no_death(cli, fake_spark, tmp_path, told, deaths):
    report = '{"schemaVersion": 1, "application": {"id": "app-1"}, "executors": [], "stages": []}'
    job = (
        "d = pathlib.Path('sparkmemprof-report/app-1'); d.mkdir(parents=True);"
        f"(d / 'report.json').write_text({report!r}); folder = os.environ['SPARKMEMPROF_LAST_REPORT'];"
        f"pathlib.Path(folder, f'{{os.getpid()}}.{told}').write_text(f'shown {{d.absolute()}}');"
        "sys.stdout.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    finished = cli("submit", "job.py", env={**fake_spark.env, "FAKE_JOB": job})
    assert finished.returncode == -signal.SIGKILL
    assert finished.stderr.count("post-mortem of the driver") == deaths
    assert finished.stderr.splitlines()[-1].startswith(f"sparkmemprof: report: {tmp_path}/sparkmemprof-report/app-1/")
    found = json.loads((tmp_path / "sparkmemprof-report/app-1/report.json").read_text())
    assert len(found.get("postMortems", [])) == deaths


@pytest.mark.parametrize("place", ["hdfs://name/reports", "hdfs:/reports"])
@pytest.mark.parametrize("told", ["report-place", "ended-reports"])
def test_a_driver_whose_report_is_elsewhere_has_its_death_told_here(cli, fake_spark, tmp_path, place, told):
    deaths = 1 if told == "report-place" else 0
    job = (
        "folder = os.environ['SPARKMEMPROF_LAST_REPORT'];"
        f"pathlib.Path(folder, f'{{os.getpid()}}.{told}').write_text('shown {place}/app-1');"
        "sys.stdout.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    conf = ("--conf", f"spark.memprof.report.dir={place}")
    finished = cli("submit", *conf, "job.py", env={**fake_spark.env, "FAKE_JOB": job})
    assert finished.returncode == -signal.SIGKILL
    assert finished.stderr.count("post-mortem of the driver") == deaths, finished.stderr
    assert f"sparkmemprof: reports are in {place}\n" in finished.stderr
    written = list(tmp_path.glob("sparkmemprof-report/*/report.json"))
    assert len(written) == deaths
    for report in written:
        (death,) = json.loads(report.read_text())["postMortems"]
        assert (death["process"], death["exitCode"]) == ("jvm", 137)
        assert finished.stderr.endswith(f"sparkmemprof: report: {report.with_suffix('.html')}\n")
    assert cli("submit", *conf, "job.py", env=fake_spark.env).stderr == f"sparkmemprof: reports are in {place}\n"


# The script's exit status is that of what it started.
WAITS = "wait $!; exit $?"


def job_that_tells(word, end, told=()):
    """A job whose JVM tells of app-1 and its report, in a file of that name, before it does `end`. told: the report's
    post-mortems."""
    report = json.dumps(
        {"schemaVersion": 1, "application": {"id": "app-1"}, "executors": [], "stages": [], "postMortems": [*told]}
    )
    name, mark = word
    return (
        "d = pathlib.Path('sparkmemprof-report/app-1'); d.mkdir(parents=True); held = bytes(7_654_321);"
        f"(d / 'report.json').write_text({report!r}); folder = os.environ['SPARKMEMPROF_LAST_REPORT'];"
        f"pathlib.Path(folder, f'{{os.getpid()}}.{name}').write_text(f'{mark} {{d.absolute()}}');"
        f"sys.stdout.flush(); {end}"
    )


def joined_report(folder):
    """(its post-mortems, its stages) of what job_that_tells has left."""
    found = json.loads((folder / "sparkmemprof-report/app-1/report.json").read_text())
    return found.get("postMortems", []), found["stages"]


@pytest.mark.parametrize(
    "what",
    [
        ("report-place", "os.kill(os.getpid(), signal.SIGKILL)", "jvm"),
        # The JVM's own exit status is then that of its Python.
        ("ended-reports", "os.kill(os.getpid(), signal.SIGKILL)", "python-driver"),
        ("ended-reports", "sys.exit(5)", None),
    ],
)
@pytest.mark.parametrize("mark", ["shown", "hidden"])
def test_a_script_around_spark_submit_changes_nothing(cli, fake_spark, tmp_path, what, mark):
    name, end, who = what
    dead = [who] if who == "jvm" or (who and mark == "shown") else []  # of a Python that is hidden nothing is known
    fake_spark.wrap(WAITS)
    of_jvm = {"executorId": "driver", "process": "python-driver", "pid": 1, "outOfMemory": True}  # it knows less
    job = job_that_tells((name, mark), end, [of_jvm] if dead == ["python-driver"] else [])
    as_python = {"PYSPARK_GATEWAY_PORT": "1"}  # the stand-in is the JVM and the driver's Python
    finished = cli("submit", "job.py", env={**fake_spark.env, **as_python, "FAKE_JOB": job})
    assert finished.returncode == (5 if "exit" in end else 128 + signal.SIGKILL), finished.stderr
    assert finished.stderr.count("post-mortem of the driver") == len(dead), finished.stderr
    assert finished.stderr.splitlines()[-1].startswith(f"sparkmemprof: report: {tmp_path}/sparkmemprof-report/app-1/")
    post_mortems, stages = joined_report(tmp_path)
    assert [(death["process"], death["exitCode"]) for death in post_mortems] == [(each, 137) for each in dead]
    assert bool(stages) == (mark == "shown"), "what the driver's Python held"


def test_nothing_is_joined_with_a_report_that_its_driver_still_writes(cli, fake_spark, tmp_path):
    """A script around spark-submit ends before the JVM that it started."""
    fake_spark.wrap("until [ -e sparkmemprof-report/told ]; do sleep 0.05; done; kill -KILL $$")
    end = "pathlib.Path('sparkmemprof-report/told').touch(); signal.pause()"
    job = job_that_tells(("report-place", "shown"), end)
    quiet = (
        "null = os.open(os.devnull, os.O_RDWR); os.dup2(null, 1); os.dup2(null, 2);"  # our pipes end with the script
    )
    finished = cli("submit", "job.py", env={**fake_spark.env, "FAKE_JOB": quiet + job})
    os.kill(json.loads(fake_spark.record.read_text())["pid"], signal.SIGKILL)
    assert finished.returncode == -signal.SIGKILL, finished.stderr
    assert joined_report(tmp_path) == ([], [])
    assert "post-mortem" not in finished.stderr


def test_without_a_folder_for_the_jvms_words_the_newest_report_is_named(package, bundle, fake_spark, tmp_path):
    code = """
import sys, tempfile

def full(**_):
    raise OSError("no space left")

tempfile.mkdtemp = full
from sparkmemprof.cli.submit import submit
sys.exit(submit(["job.py"]))
"""
    job = "d = pathlib.Path('sparkmemprof-report/app-1'); d.mkdir(parents=True); (d / 'report.json').write_text('{}')"
    own = {**fake_spark.env, "FAKE_JOB": job, "PYTHONPATH": str(package), "SPARKMEMPROF_BUNDLE": str(bundle)}
    finished = processes.run([sys.executable, "-c", code], 60, env={**os.environ, **own}, cwd=tmp_path)
    assert finished.returncode == 0
    assert finished.stderr.endswith(f"sparkmemprof: report: {tmp_path}/sparkmemprof-report/app-1/report.json\n")


def test_says_that_there_is_no_report(cli, fake_spark, tmp_path):
    old = tmp_path / "out" / "app-0"
    old.mkdir(parents=True)
    (old / "report.json").write_text("{}")
    os.utime(old / "report.json", (1, 1))
    job = "d = pathlib.Path('out/app-1'); d.mkdir(); (d / 'report.json').write_text('{}'); sys.exit(3)"
    finished = cli(
        "submit", "--conf", "spark.memprof.report.dir=out", "job.py", env={**fake_spark.env, "FAKE_JOB": job}
    )
    assert "left no report" in finished.stderr, "neither an older one nor that of a job beside it is this one's"


# A JVM's answer to SIGQUIT is a dump of its threads.
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1])
def test_hands_signals_on(package, bundle, fake_spark, tmp_path, number):
    job = f"import time; signal.signal({int(number)}, lambda *a: sys.exit(7)); print('up', flush=True); time.sleep(60)"
    environment = {
        **os.environ,
        **fake_spark.env,
        "FAKE_JOB": job,
        "PYTHONPATH": str(package),
        "SPARKMEMPROF_BUNDLE": str(bundle),
    }
    command = [sys.executable, "-m", "sparkmemprof.cli.main", "submit", "job.py"]
    # A shell's background job ignores two of them.
    own = {"stdout": subprocess.PIPE, "text": True, "preexec_fn": lambda: signal.signal(number, signal.SIG_DFL)}
    with processes.start(command, env=environment, cwd=tmp_path, **own) as process:
        try:
            assert process.stdout.readline() == "up\n"
            process.send_signal(number)
            assert process.wait(patient(30)) == 7
        except BaseException:
            processes.kill_session(process)
            raise
    child = json.loads(fake_spark.record.read_text())["pid"]

    def has_ended():
        try:
            words = pathlib.Path(f"/proc/{child}/cmdline").read_bytes()
        except OSError:
            return True
        return b"spark-submit" not in words  # a zombie has none, nor has another process to which its number went

    until(has_ended, 30, "the child's end")


def test_no_spark(cli):
    finished = cli("submit", "job.py", env={"PATH": "/nowhere"})
    assert finished.returncode == 2
    assert "no spark-submit" in finished.stderr


def test_wrong_spark_home(cli):
    finished = cli("submit", "job.py", env={"SPARK_HOME": "/nowhere"})
    assert finished.returncode == 2
    assert "SPARK_HOME is /nowhere" in finished.stderr


def test_a_spark_submit_that_cannot_start(cli, fake_spark):
    (fake_spark.home / "bin" / "spark-submit").write_text("#!/nowhere/python\n")
    finished = cli("submit", "job.py", env=fake_spark.env)
    assert finished.returncode == 2
    assert "error: cannot start " in finished.stderr
    assert "No such file" in finished.stderr


def test_settings_that_cannot_be_read(package, monkeypatch):
    """Root may read everything, so the refusal is played."""
    monkeypatch.syspath_prepend(str(package))
    submit = importlib.import_module("sparkmemprof.cli.submit")
    errors = importlib.import_module("sparkmemprof.cli.errors")

    def refuse(*_):
        raise PermissionError(errno.EACCES, "Permission denied", "/conf/spark-defaults.conf")

    monkeypatch.setattr(submit, "default_properties", refuse)
    with pytest.raises(errors.UserError, match=r"cannot read /conf/spark-defaults.conf: Permission denied"):
        submit._defaults(None, "home")


def test_nothing_to_submit_shows_the_help(cli):
    finished = cli("submit")
    assert finished.returncode == 2
    assert "Usage: sparkmemprof submit" in finished.stderr
