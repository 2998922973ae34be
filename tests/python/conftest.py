"""Fixtures of the shim's tests: the package as an executor would have it, the native helpers, boxes as dicts."""

import functools
import importlib.util
import json
import os
import pathlib
import sys

import processes
import pytest
from shared_classes import FEW_TESTS, quick_start_options, spark_of
from unpacked_modules import home_with_unpacked_modules

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("MEMPROF_BUILD", ROOT / "build" / "release"))
NATIVE = BUILD / "tests" / "native"
SCENES = pathlib.Path(__file__).with_name("scenes")
JOBS = pathlib.Path(__file__).with_name("spark_jobs")
APPLICATION = "app-shim-test"
INTERVAL = 65536


CPYTHONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
# Those that differ in what most tests look at; 3.10 is much like 3.9.
DIFFERENT_CPYTHONS = ("3.9", "3.11", "3.12", "3.13", "3.14")


def module_alone(name):
    """A module of the package that needs no other one, without the package's own start."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "pyworker-shim" / "sparkmemprof" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def box_reader():
    path = next(NATIVE.glob("_box_reader.*.so"))
    spec = importlib.util.spec_from_file_location("_box_reader", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Boxes:
    """The boxes of one test's directory."""

    def __init__(self, directory):
        self.directory = directory

    def read(self):
        """All boxes, as dicts (see tests/native/box_reader.cc), by pid."""
        reader = box_reader()
        boxes = [reader.read_box(path) for path in reader.list_boxes(str(self.directory), APPLICATION)]
        return {box["pid"]: box for box in boxes}

    def sessions(self, task=None):
        """Sessions of tasks (not the process-level ones) of all boxes; of one taskAttemptId if given."""
        found = [session for box in self.read().values() for session in box["sessions"]]
        return [s for s in found if s["task_attempt_id"] >= 0 and task in (None, s["task_attempt_id"])]

    def sites(self, task=None):
        return [site for session in self.sessions(task) for site in session["sites"]]


@pytest.fixture
def boxes(tmp_path):
    directory = tmp_path / "boxes"
    directory.mkdir(mode=0o700)
    return Boxes(directory)


@pytest.fixture
def package(tmp_path, boxes):
    """A folder for PYTHONPATH with the package in it, laid out as the executor plugin does."""
    folder = tmp_path / "python"
    target = folder / "sparkmemprof"
    target.mkdir(parents=True)
    for source in (ROOT / "pyworker-shim" / "sparkmemprof").glob("*.py"):
        (target / source.name).symlink_to(source)
    (target / "startup").symlink_to(ROOT / "pyworker-shim" / "sparkmemprof" / "startup")
    for source in (BUILD / "python" / "sparkmemprof").glob("_hooks.*.so"):
        (target / source.name).symlink_to(source)
    config = {
        "applicationId": APPLICATION,
        "executorId": "7",
        "boxDirectory": str(boxes.directory),
        "intervalBytes": INTERVAL,
    }
    (target / "config.json").write_text(json.dumps(config))
    return folder


def python_of(version):
    """A CPython of that version which the hooks have been built for, or None."""
    if not list((BUILD / "python" / "sparkmemprof").glob(f"_hooks.cpython-{version.replace('.', '')}-*.so")):
        return None
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    on_path = [pathlib.Path(entry) / f"python{version}" for entry in os.environ["PATH"].split(os.pathsep)]
    candidates = [*pyenv.glob(f"versions/{version}.*/bin/python{version}"), *on_path]
    return next((path for path in candidates if path.exists() and "shims" not in path.parts), None)


@pytest.fixture
def scene_process(package, boxes):
    """Runs scenes/<name>.py in a process of its own to its end, whatever that is; a CompletedProcess."""

    def run(name, python=sys.executable, arguments=(), environment=()):
        environment = {
            **os.environ,
            "PYTHONPATH": str(package),
            "SCENE_BOXES": str(boxes.directory),
            "SCENE_APPLICATION": APPLICATION,
            "SCENE_INTERVAL": str(INTERVAL),
            "SCENE_NATIVE": str(NATIVE),
            **dict(environment),
        }
        return processes.run([python, "-X", "faulthandler", SCENES / f"{name}.py", *arguments], 120, env=environment)

    return run


@pytest.fixture
def run_scene(scene_process):
    """Runs a scene that succeeds; returns what it prints last, a JSON object, and its stderr."""

    def run(name, *arguments, stderr_lines=0, **options):
        finished = scene_process(name, *arguments, **options)
        assert finished.returncode == 0, f"{name}: exit {finished.returncode}\n{finished.stdout}{finished.stderr}"
        errors = finished.stderr.splitlines()
        assert len(errors) == stderr_lines, finished.stderr
        return {**json.loads(finished.stdout.splitlines()[-1]), "stderr": errors}

    return run


@pytest.fixture(params=["3_5", "4", pytest.param("4_ON_3_14", marks=pytest.mark.full)])
def pyspark_python(request):
    python = os.environ.get(f"MEMPROF_PYTHON_{request.param}")
    if not python:
        pytest.skip(f"MEMPROF_PYTHON_{request.param} names no Python with pyspark; tests/run.sh sets it")
    return python


@pytest.fixture(scope="session")
def quick_spark(tmp_path_factory, request):
    """quick_spark(python): environment by which the PySpark of this Python starts sooner; none for a few tests.

    In `--full` its Pythons import what Spark ships.
    """

    @functools.cache
    def environment(python):
        if request.session.testscollected <= FEW_TESTS:
            return {}
        home = shipped = spark_of(python)
        if "not full" in request.config.option.markexpr:
            home = tmp_path_factory.mktemp("spark") / "home"
            home_with_unpacked_modules(shipped, python, home)
        return {"SPARK_HOME": str(home), "JDK_JAVA_OPTIONS": quick_start_options(home, python)}

    return environment


@pytest.fixture
def run_job(pyspark_python, package, tmp_path, quick_spark):
    """Runs a job of spark_jobs with the package on PYTHONPATH; returns (last line of stdout as JSON, stderr)."""

    def run(name, *arguments):
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(package), str(JOBS)]),
            "PYSPARK_PYTHON": pyspark_python,
            "TEST_LIBRARY": str(NATIVE / "libexact_alloc.so"),
            "SPARK_LOCAL_IP": "127.0.0.1",
            **quick_spark(pyspark_python),
        }
        command = [pyspark_python, JOBS / f"{name}.py", *arguments]
        finished = processes.run(command, 300, env=environment, cwd=tmp_path)
        assert finished.returncode == 0, finished.stdout + finished.stderr
        told = [line for line in finished.stderr.splitlines(keepends=True) if not line.startswith("NOTE: Picked up ")]
        return json.loads(finished.stdout.splitlines()[-1]), "".join(told)

    return run


def on(line):
    """In the landing tier on this line alone; integration/tests/test_kinds.py has both lines do much the same."""
    lines = [pytest.param(each, marks=[] if each == line else pytest.mark.full) for each in ("3_5", "4", "4_ON_3_14")]
    return pytest.mark.parametrize("pyspark_python", lines, indirect=True)


def line_of(path, text):
    return next(number for number, line in enumerate(path.read_text().splitlines(), 1) if text in line)
