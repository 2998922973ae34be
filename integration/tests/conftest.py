"""Real Spark jobs in processes of their own, and what they leave behind: output, executors' logs, the report.

Every test takes `line` ("3.5" or "4"); one marked `one_line` runs on both only with --every-line, since what it tests
is ours, the kernel's or CPython's alone. `spark_run(job, ...)` submits a job script and returns a Run. Needs a build
(MEMPROF_BUILD, default build/release) and the Spark lines' Pythons (MEMPROF_PYTHON_3_5, MEMPROF_PYTHON_4, default the
venvs under build/venvs). Nothing of the caller's environment reaches a job.
"""

import base64
import contextlib
import dataclasses
import functools
import gzip
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import zipfile

import memory_cgroups
import processes
import pytest
from linked_package import link_package
from live_application import PROMETHEUS, running, settled
from shared_classes import FEW_TESTS, SHORT_LIVED, quick_start_options, spark_of
from unpacked_modules import home_with_unpacked_modules

ROOT = pathlib.Path(__file__).resolve().parents[2]
JOBS = pathlib.Path(__file__).parent / "jobs"
BUILD = pathlib.Path(os.environ.get("MEMPROF_BUILD", ROOT / "build/release"))
AGENT_PATH = f"-agentpath:{BUILD / 'jvmti-agent/libsparkmemprof.so'}"  # an option of a JVM
LINES = ["3.5", "4"]
ONE_LINE = "3.5"  # unless its mark says otherwise, so that both lines have about as much to do
SHIPPED_LINE = (
    "3.5"  # with --every-line its Pythons start from the zips that Spark ships; the other line's would take longer
)
PLUGIN = "org.sparkmemprof.MemoryProfilerPlugin"
LOCAL = "local[2]"
LOCAL_CLUSTER = "local-cluster[2,1,1024]"
RUN_SECONDS = 240
# Beside blocks of a line, which are counted exactly, now and then a small object of the same line is sampled.
BESIDE_BYTES = 4 * 65_536

# Spark names the jar, the plugin and the daemon module, too; stacks of the user's errors pass through our wrapper of
# the worker; and a JVM names the archive of classes, which lies in our cache. The summary in the driver's log is ours.
SPARKS_OWN = re.compile(
    r' (INFO|DEBUG) (?!MemoryProfilerPlugin)|^Spark Executor Command|^  File "|^NOTE: Picked up JDK_'
)


def pytest_addoption(parser):
    parser.addoption("--every-line", action="store_true", help="run tests marked one_line on every Spark line")


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: fills a heap or a container to the brim; nothing else may run beside it")
    told = f"one_line(line={ONE_LINE!r}): Spark's line makes no difference; on this one alone by default"
    config.addinivalue_line("markers", told)


# With xdist each group of tests has a process with a Spark of its own: two for each line, with about as much to do.
# These are the tests of the second ones.
SECOND = """broken deaths driver driver_ends driver_heap failures history kept names neighbours refusals results scripts
    spark_memory"""


def group_of(item):
    line = item.callspec.params.get("line", ONE_LINE) if hasattr(item, "callspec") else ONE_LINE
    if item.path.stem == "test_scripts":
        line = ONE_LINE  # they take the lines as they come
    return f"{line}-second" if item.path.stem.removeprefix("test_") in SECOND.split() else line


@pytest.hookimpl(tryfirst=True)  # before xdist reads the groups
def pytest_collection_modifyitems(config, items):
    for item in items:
        item.add_marker(pytest.mark.xdist_group(group_of(item)))

    def left_out(item):
        mark = item.get_closest_marker("one_line")
        return mark and item.callspec.params["line"] != (mark.args or [ONE_LINE])[0]

    if not config.getoption("--every-line"):
        config.hook.pytest_deselected(items=[item for item in items if left_out(item)])
        items[:] = [item for item in items if not left_out(item)]


@pytest.fixture(params=LINES, scope="session")
def line(request):
    return request.param


def python_of(line):
    default = ROOT / "build/venvs" / f"spark-{line}" / "bin/python"
    path = pathlib.Path(os.environ.get(f"MEMPROF_PYTHON_{line.replace('.', '_')}", default))
    assert path.exists(), f"no Python with Spark {line}: {path} (tests/run.sh makes it)"
    return path


@pytest.fixture(scope="session")
def quick_options(request):
    """quick_options(line): JDK_JAVA_OPTIONS for the project's own scripts, which run on the line's venv."""

    @functools.cache
    def options(line):
        if request.session.testscollected <= FEW_TESTS:
            return SHORT_LIVED
        python = python_of(line)
        return quick_start_options(spark_of(python), python)

    return options


@pytest.fixture(scope="session")
def jar():
    path = BUILD / "sparkmemprof.jar"
    assert path.exists(), f"no {path}: build it first"
    return path


@dataclasses.dataclass
class Spark:
    """A Spark line as a job sees it."""

    line: str
    home: pathlib.Path  # SPARK_HOME, of our own: local-cluster writes its executors' logs into its work folder
    python: pathlib.Path  # has what the line's venv has, but for sparkmemprof: by conf alone everything must work
    environment: dict = dataclasses.field(default_factory=dict)  # of all its processes
    shipped_home: pathlib.Path = None  # if the home is another: without modules that we have compiled

    def as_shipped(self):
        """Without what makes its processes start sooner: their memory is what a user's processes have."""
        return dataclasses.replace(self, home=self.shipped_home or self.home, environment={})


@pytest.fixture(scope="session")
def spark(line, tmp_path_factory, request):
    folder = tmp_path_factory.mktemp(f"spark-{line}-")
    made = make_spark(line, folder)
    if request.session.testscollected > FEW_TESTS:
        made.environment["JDK_JAVA_OPTIONS"] = quick_start_options(made.home, made.python)
        if line != SHIPPED_LINE or not request.config.getoption("--every-line"):
            unpacked = folder / "unpacked-home"
            home_with_unpacked_modules(made.home, made.python, unpacked)
            made = dataclasses.replace(made, home=unpacked, shipped_home=made.home)
    return made


def make_spark(line, folder, original=None):
    """The Spark line's PySpark in a folder of our own. original: another Python that has it."""
    folder.mkdir(exist_ok=True)
    original = original or python_of(line)
    packages = folder / "site-packages"  # so called, what lies in it isn't taken for the user's own code
    packages.mkdir()
    for entry in spark_of(original).parent.iterdir():
        if not entry.name.startswith("sparkmemprof"):
            (packages / entry.name).symlink_to(entry)
    subprocess.run([original, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    (site_packages,) = (folder / "venv/lib").glob("python*/site-packages")
    (site_packages / "packages.pth").write_text(f"{packages}\n")
    home = folder / "home"
    home.mkdir()
    for entry in (packages / "pyspark").iterdir():
        if entry.name != "work":
            (home / entry.name).symlink_to(entry)
    return Spark(line, home, folder / "venv/bin/python")


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """The package with its native modules, and the bundle of a wheel."""
    folder = tmp_path_factory.mktemp("package")
    link_package(folder, ROOT, BUILD)
    bundle = folder / "bundle"
    bundle.mkdir()
    (bundle / "sparkmemprof.jar").symlink_to(BUILD / "sparkmemprof.jar")
    (bundle / "libsparkmemprof.so").symlink_to(BUILD / "jvmti-agent/libsparkmemprof.so")
    return folder


@pytest.fixture(scope="session")
def command_line(package):
    """Runs `sparkmemprof WORDS…` with the built module; its output."""

    def run(*words):
        return subprocess.run(
            [sys.executable, "-m", "sparkmemprof.cli.main", *map(str, words)],
            env={**os.environ, "PYTHONPATH": str(package)},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def demand_no_death(run):
    """Neither report nor log tells of one, or of anything that is wrong."""
    report = run.report()
    assert report["postMortems"] == []
    assert report.get("otherDeaths", []) == []
    assert "post-mortem" not in run.stderr
    assert warnings_of(run) == []
    return report


# Of a process's resident memory, at its peak, what no row explains: the largest share seen of each kind, and where.
MOST_UNATTRIBUTED = 0.1
MOST_RETAINED_BYTES = 10_000_000
worst_unattributed = {}


def measures_rows(process):
    """False: it was not profiled, or is the daemon."""
    return {row["name"] for row in process["peakRows"]} & {"Python objects", "Java heap"}


def unattributed_shares(report):
    """[(process, share, is fine)] of the JVMs and profiled Python workers whose memory was measured at their peak."""
    found = []
    for executor in report["executors"]:
        for process in executor["processes"]:
            if not measures_rows(process):
                continue
            killed = not process["alive"] or executor["removedReason"] is not None
            is_asked = any(row["name"] == "allocator retention" for row in process["peakRows"])
            if killed and (process["kind"] == "jvm" or not is_asked):
                continue  # in a task: what it filled since its last sample it couldn't measure, nor ask malloc
            share = abs(process["unattributedBytes"]) / process["peakRssBytes"]
            # At a peak within a task malloc isn't asked what it holds and nobody uses.
            may_retain = process["kind"] == "python-worker" and not is_asked
            retained = may_retain and 0 <= process["unattributedBytes"] <= MOST_RETAINED_BYTES
            found.append((process, share, share <= MOST_UNATTRIBUTED or retained))
    return found


def demand_rows_explain(report):
    """The rows of each process explain nine tenths of its peak, or all but 10 MB. For scenes with one known shape."""
    shares = unattributed_shares(report)
    assert shares, "no process measured its memory"
    assert not [json.dumps(process) for process, _, is_fine in shares if not is_fine]


def note_worst(shares):
    for kind, (share, where) in shares.items():
        worst_unattributed[kind] = max(worst_unattributed.get(kind, (0.0, "")), (share, where))


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):  # of one of several processes: whoever started it prints
        session.config.workeroutput["worst unattributed"] = worst_unattributed


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    note_worst(getattr(node, "workeroutput", {}).get("worst unattributed", {}))


def pytest_terminal_summary(terminalreporter):
    for kind, (share, where) in sorted(worst_unattributed.items()):
        terminalreporter.write_line(f"worst unattributed share of the memory of a {kind}: {share:.1%} ({where})")


def model_of(page):
    """What a report.html is drawn from: JSON as text, a large one as base64 of gzip."""
    kind, _, rest = page.partition('<script type="application/')[2].partition('" id="sparkmemprof-model">')
    held = rest.partition("</script>")[0]
    return json.loads(gzip.decompress(base64.b64decode(held)) if kind == "gzip" else held)


@dataclasses.dataclass
class Run:
    """A finished job."""

    status: int
    stdout: str
    stderr: str
    reports: pathlib.Path  # spark.memprof.report.dir
    work: pathlib.Path  # executors' logs
    local: bool  # without executors of their own

    def report(self):
        """The one report.json of this run."""
        found = list(self.reports.glob("*/report.json"))
        assert len(found) == 1, f"reports: {found}\n{self.tail()}"
        report = json.loads(found[0].read_text())
        for process, share, _ in unattributed_shares(report):
            note_worst({process["kind"]: (share, f"{report['application']['name']}: {process}")})
        return report

    def page(self):
        """The one report.html of this run."""
        (path,) = self.reports.glob("*/report.html")
        return path.read_text()

    def result(self):
        """What the job printed behind RESULT."""
        lines = [text for text in self.stdout.splitlines() if text.startswith("RESULT ")]
        assert len(lines) == 1, self.tail()
        return json.loads(lines[0].removeprefix("RESULT "))

    def executor_logs(self):
        """{path: text} of the executors' stdout and stderr."""
        logs = {path: path.read_text(errors="replace") for path in sorted(self.work.glob("app-*/*/std*"))}
        assert logs or self.local, f"no executor has a log below {self.work}"
        return logs

    def tail(self):
        return f"exit status {self.status}\n{self.stdout[-2000:]}\n{self.stderr[-6000:]}"

    def demand_success(self):
        assert self.status == 0, self.tail()
        return self


def ours(text):
    """The lines of a log that are ours, not Spark's about us."""
    lines = text.splitlines()
    found = [(at, line) for at, line in enumerate(lines) if "memprof" in line and not SPARKS_OWN.search(line)]
    # A worker of Spark's that ends an executor may copy the end of a line of its log once more.
    return [line for at, line in found if not any(other.endswith(line) and other != line for other in lines[:at])]


def warnings_of(run):
    """Our warnings in all logs of a run: driver's, executors', Python workers'. A report with findings is none."""
    logs = {"the driver's": run.stderr, **run.executor_logs()}
    news = re.compile(
        "INFO MemoryProfilerPlugin|sparkmemprof: (report in|the report was not written)|^sparkmemprof [·-] "
    )
    found = {path: [line for line in ours(log) if not news.search(line)] for path, log in logs.items()}
    for path, lines in found.items():
        if lines:
            print(f"{path} log, with {lines}:\n{logs[path]}")
    return [line for lines in found.values() for line in lines]


def clean_environment(spark, **extra):
    return {
        **processes.kept_environment(),
        "SPARK_HOME": str(spark.home),
        "PYSPARK_PYTHON": str(spark.python),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "MEMPROF_TEST_PATIENCE": str(processes.PATIENCE),  # a job's own waits
        **spark.environment,
        **extra,
    }


def every_executor_first(master):
    """Settings by which no task starts before all executors are there: else, if it is busy, the first runs them all."""
    settings = {
        "spark.scheduler.minRegisteredResourcesRatio": "1",  # of spark.cores.max, where that is known
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
    }
    if cluster := re.fullmatch(r"local-cluster\[(\d+),(\d+),\d+\]", master):
        settings["spark.cores.max"] = str(int(cluster[1]) * int(cluster[2]))
    return {} if master.startswith("local[") else settings


@dataclasses.dataclass
class Launch:
    """How a job is started: everything needed to run it by hand."""

    command: list
    cwd: pathlib.Path
    environment: dict
    run: Run

    def start(self, **options):
        """Its process, that goes on beside the test; options as for Popen."""
        return processes.start(self.command, cwd=self.cwd, env=self.environment, **options)


class Launcher:
    """Prepares and runs jobs; each gets a working directory and a report directory below `folder`."""

    def __init__(self, spark, jar, folder):
        self._spark = spark
        self._jar = jar
        self._folder = folder
        self._count = 0

    def prepare(
        self,
        job,
        *arguments,
        master=LOCAL,
        conf=(),
        jar=None,
        profiled=True,
        environment=(),
        prefix=(),
        cwd=None,
        by_python=False,
        python_options=(),
    ):
        """A Launch. conf: settings, None takes one away; prefix: words before the command, e.g. unshare.

        by_python: the job's Python starts the JVM, as a notebook's does, not spark-submit. python_options: stand before
        the job.
        """
        self._count += 1
        reports = self._folder / f"reports-{self._count}"
        if cwd is None:
            cwd = self._folder / f"cwd-{self._count}"
            cwd.mkdir()
        settings = {"spark.ui.enabled": "false", "spark.log.level": "WARN", "spark.sql.shuffle.partitions": "2"}
        if profiled:
            settings |= {
                "spark.jars": jar or self._jar,
                "spark.plugins": PLUGIN,
                "spark.memprof.report.dir": reports,
                "spark.memprof.patience": processes.PROFILERS_PATIENCE,
            }
        settings |= every_executor_first(master)
        settings |= dict(conf)
        work = self._spark.home / "work"
        shutil.rmtree(work, ignore_errors=True)
        submit = ["--master", master]
        for key, value in settings.items():
            if value is not None:
                submit += ["--conf", f"{key}={value}"]
        words = [str(JOBS / job), *map(str, arguments)]  # a job elsewhere comes with its whole path
        environment = clean_environment(self._spark, **dict(environment))
        if by_python:
            environment["PYSPARK_SUBMIT_ARGS"] = shlex.join([*submit, "pyspark-shell"])
            command = [str(self._spark.python), *python_options, *words]
        else:
            command = [str(self._spark.home / "bin/spark-submit"), *submit, *words]
        run = Run(-1, "", "", reports, work, local=master.startswith("local["))
        return Launch([*map(str, prefix), *command], cwd, environment, run)

    def __call__(self, job, *arguments, **options):
        """A Run, whatever its end; options as for prepare."""
        return self.finish(self.prepare(job, *arguments, **options))

    def finish(self, launch):
        """Runs what prepare() has made."""
        finished = processes.run(launch.command, RUN_SECONDS, cwd=launch.cwd, env=launch.environment)
        launch.run.status, launch.run.stdout, launch.run.stderr = finished.returncode, finished.stdout, finished.stderr
        return launch.run


@pytest.fixture
def spark_run(spark, jar, tmp_path):
    return Launcher(spark, jar, tmp_path)


@pytest.fixture(scope="session")
def shared_run(spark, jar, tmp_path_factory):
    """Like spark_run, for an application that several tests look at."""
    return Launcher(spark, jar, tmp_path_factory.mktemp("shared"))


@pytest.fixture(scope="session")
def live(shared_run, tmp_path_factory):
    """An application with a UI that many tests look at: its jobs are done, and it goes on to the end of the session."""
    with running(shared_run, tmp_path_factory.mktemp("live"), PROMETHEUS) as application:
        settled(application)
        yield application


class Standalone:
    """A master and workers of a standalone cluster, from the pip package, on free loopback ports."""

    def __init__(self, spark, folder, workers=((),), memory="2g", cores=2):
        """workers: of each the words before its command; what starts it may put it into a cgroup. cores: of each."""
        self.work = folder / "work"
        self._environment = clean_environment(spark, SPARK_WORKER_DIR=str(self.work))
        self._home = spark.home
        self._folder = folder
        self._processes = []
        host = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        try:
            self.master = self._start("master", "master.Master", *host, until=r"Starting Spark master at (spark://\S+)")
            words = [*host, "--cores", str(cores), "--memory", memory, self.master]
            for number, prefix in enumerate(workers):
                registered = r"Successfully registered with master"
                self._start(f"worker-{number}", "worker.Worker", *words, until=registered, prefix=prefix)
        except BaseException:
            self.stop()
            raise

    def _start(self, name, main, *arguments, until, prefix=()):
        log = self._folder / f"{name}.log"
        command = [*prefix, self._home / "bin/spark-class", f"org.apache.spark.deploy.{main}", *arguments]
        with log.open("w") as out:
            process = processes.start(command, env=self._environment, stdout=out, stderr=subprocess.STDOUT)
        self._processes.append(process)

        def told():
            assert process.poll() is None, f"the standalone {name} has ended:\n{log.read_text()[-3000:]}"
            return re.search(until, log.read_text())

        found = processes.until(told, 60, lambda: f"the standalone {name} starts:\n{log.read_text()[-3000:]}")
        return found[found.lastindex or 0]

    def stop(self):
        with contextlib.ExitStack() as all_of_them:  # one that cannot be stopped doesn't keep the others
            for process in self._processes:
                all_of_them.callback(processes.stop, process)


@pytest.fixture
def standalone(spark, tmp_path):
    cluster = Standalone(spark, tmp_path)
    yield cluster
    cluster.stop()


@pytest.fixture
def cramped(spark, tmp_path, request):
    """(cluster, container): a worker of four cores, with all that it starts in a memory cgroup of so many bytes."""
    spark = spark.as_shipped()
    with memory_cgroups.container(request.param) as container:
        cluster = Standalone(spark, tmp_path, workers=[memory_cgroups.entering(container)], cores=4)
        yield cluster, container
        cluster.stop()


@pytest.fixture(scope="session")
def sign_in(spark, line, tmp_path_factory):
    """A class path with the filter that signs users in."""
    source = (pathlib.Path(__file__).parent / "filters/SignIn.java").read_text()
    folder = tmp_path_factory.mktemp("filters")
    (folder / "SignIn.java").write_text(source if line == "3.5" else source.replace("javax.", "jakarta."))
    subprocess.run(["javac", "-cp", f"{spark.home}/jars/*", "-d", folder, folder / "SignIn.java"], check=True)
    return folder


@pytest.fixture
def jar_without(jar, tmp_path):
    """edit(change): a copy of the jar; change(name, bytes) gives each member's new bytes, None leaves it out."""

    def edit(change):
        copy = tmp_path / "edited" / jar.name
        copy.parent.mkdir()
        with zipfile.ZipFile(jar) as source, zipfile.ZipFile(copy, "w") as target:
            for member in source.infolist():
                content = change(member.filename, source.read(member))
                if content is not None:
                    target.writestr(member.filename, content)
        return copy

    return edit


def line_of(job, marker):
    """Number of the line of a job script that ends with `# marker`."""
    numbers = [
        number
        for number, text in enumerate((JOBS / job).read_text().splitlines(), 1)
        if text.rstrip().endswith(f"# {marker}")
    ]
    assert len(numbers) == 1, f"{job}: lines marked {marker}: {numbers}"
    return numbers[0]


def python_line(site):
    """(file name, line) of the innermost Python frame of a site, or None."""
    frames = [frame for frame in site["frames"] if frame["language"] == "python"]
    return (pathlib.PurePath(frames[-1]["file"]).name, frames[-1]["line"]) if frames else None


def sites_at(sites, job, marker):
    """The sites whose allocation happened at the marked line, those of stray small objects left out."""
    wanted = (job, line_of(job, marker))
    return [site for site in sites if python_line(site) == wanted and site["allocatedBytes"] > BESIDE_BYTES]


def demand_blocks(site, size, tasks, blocks=None, held=1):
    """Exactly so many bytearrays of this length; at the peak a task held so many of them."""
    blocks = blocks or tasks
    asked = size + 1  # a bytearray asks for one byte more than its length
    beside = BESIDE_BYTES if site["sampled"] else 0
    assert site["origin"] == "python"
    assert site["tasks"] == tasks
    assert site["allocations"] >= blocks if beside else site["allocations"] == blocks
    assert blocks * asked <= site["allocatedBytes"] <= blocks * asked + beside
    assert held * asked <= site["liveAtPeakBytes"] <= held * asked + beside
