"""CPython's own tests with the hooks on at an interval of 256 bytes: corner cases of frames, threads and ends.

They start further interpreters (isolated, with subinterpreters, forking, dying by a signal), and those have the hooks
on as well: all run in a virtual environment with a .pth file that starts them. Each case that fails is repeated alone,
with the hooks and bare: one that fails with the hooks each time and never bare is our fault. Any other is printed.
"""

import json
import os
import pathlib
import re
import signal
import subprocess

import processes
import pytest
from conftest import BUILD, CPYTHONS, SCENES, python_of

pytestmark = pytest.mark.full

VERSIONS = (*CPYTHONS, "system")
MODULES = ("generators", "coroutines", "frame", "threading", "gc", "exceptions", "ctypes")
INTERVAL = 256
REPEATS = 3  # of a failed case, with the hooks and as often bare


@pytest.fixture(scope="module")
def environment_of(tmp_path_factory):
    """The Python of a virtual environment in which every interpreter starts the hooks, made once per version."""
    made = {}

    def environment(version):
        if version not in made:
            made[version] = make_environment(version, tmp_path_factory.mktemp("cpython"))
        if isinstance(made[version], str):
            pytest.skip(made[version])
        return made[version]

    return environment


def make_environment(version, folder):
    """A path, or the reason why there is none."""
    python = pathlib.Path("/usr/bin/python3") if version == "system" else python_of(version)
    if python is None or not python.exists():
        return f"no CPython {version} that the hooks were built for"
    made = subprocess.run([python, "-m", "venv", "--without-pip", folder], capture_output=True, text=True, check=False)
    if made.returncode:
        return f"{python} makes no virtual environment: {made.stdout}{made.stderr}"
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "sparkmemprof").mkdir()
    (packages / "sparkmemprof" / "__init__.py").touch()
    for hooks in (BUILD / "python" / "sparkmemprof").glob("_hooks.*.so"):
        (packages / "sparkmemprof" / hooks.name).symlink_to(hooks)
    (packages / "hooked_start.py").symlink_to(SCENES / "hooked_start.py")
    # A subinterpreter runs this file again, in a process that has its hooks already.
    condition = "'SCENE_BOXES' in os.environ and os.environ.get('SCENE_HOOKED') != str(os.getpid())"
    (packages / "hooked.pth").write_text(f"import os; {condition} and __import__('hooked_start')\n")
    return folder / "bin" / "python"


def run_module(python, module, folder, hooked, *, case=None):
    """Runs test_<module> by CPython's own runner, or one case of it; the process's exit code and what it said."""
    folder.mkdir(parents=True)
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("SCENE_", "PYTHON", "MALLOC"))
    }
    environment["TMPDIR"] = str(folder)
    if hooked:
        boxes = folder / "boxes"
        boxes.mkdir(mode=0o700)
        environment.update(SCENE_BOXES=str(boxes), SCENE_INTERVAL=str(INTERVAL), SCENE_COUNTERS=str(folder))
    alone = ["--match", case] if case else []
    finished = processes.run(
        [python, "-X", "faulthandler", "-m", "test", "-v", "--timeout", "240", *alone, f"test_{module}"],
        500,
        cwd=folder,
        env=environment,
        stderr=subprocess.STDOUT,
        errors="replace",
        # Ignored where a suite is started in the background, and inherited; some of these tests send it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    return finished.returncode, finished.stdout


def failed_cases(output):
    """Each as the runner's --match wants it. What fails in preparing a class or a module stands for all in it."""
    found = re.findall(r"^(?:FAIL|ERROR): (\S+) \((\S+)\)", output, re.MULTILINE)
    return sorted({place if place.endswith(f".{name}") else f"{place}.{case_in(name)}" for name, place in found})


def case_in(name):
    return name if name.startswith("test") else "*"


def test_failed_cases_are_named_as_the_runner_matches_them():
    output = """\
FAIL: test_old (test.test_gc.GCTests)
ERROR: test_new (test.test_gc.GCTests.test_new) (way='a')
ERROR: test_new (test.test_gc.GCTests.test_new) [b]
ERROR: setUpClass (test.test_gc.Other)
"""
    assert failed_cases(output) == [
        "test.test_gc.GCTests.test_new",
        "test.test_gc.GCTests.test_old",
        "test.test_gc.Other.*",
    ]


def times_failed(python, module, folder, hooked, case):
    """Of REPEATS runs of it alone."""
    failed = 0
    for time in range(REPEATS):
        exit_code, output = run_module(python, module, folder / str(time), hooked, case=case)
        assert exit_code < 0 or re.search("^Ran [1-9]|^(?:FAIL|ERROR): ", output, re.MULTILINE), f"{case}: {output}"
        failed += exit_code != 0
    return failed


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("version", VERSIONS)
def test_cpythons_own_tests_pass(version, module, environment_of, tmp_path):
    python = environment_of(version)
    if subprocess.run([python, "-c", f"import test.test_{module}"], capture_output=True, check=False).returncode:
        pytest.skip(f"CPython {version} comes without its tests")

    exit_code, output = run_module(python, module, tmp_path / "hooked", hooked=True)

    counters = [json.loads(path.read_text()) for path in (tmp_path / "hooked").glob("counters-*.json")]
    assert max((counted["samples"] for counted in counters), default=0) > 500, "the hooks were on, and saw the tests"
    assert re.search(r"Total tests: run=\d|^Ran \d+ test|1 test OK", output, re.MULTILINE), output
    if exit_code == 0:
        return
    assert exit_code > 0, f"killed by signal {-exit_code}\n{output}"
    cases, ours = failed_cases(output), []
    assert cases, output
    for number, case in enumerate(cases):
        hooked = times_failed(python, module, tmp_path / f"hooked-{number}", True, case)
        bare = times_failed(python, module, tmp_path / f"bare-{number}", False, case)
        print(f"CPython {version}: {case} fails {hooked} times of {REPEATS} with hooks, {bare} times bare")
        if hooked == REPEATS and bare == 0:
            ours.append(case)
    assert not ours, f"only with hooks: {ours}\n{output}"
