"""Formatters and linters, as tests: each names the file and the command that mends it."""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import pytest
from tidy import Tidy

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tracked(*patterns):
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()]


def run(*command):
    finished = subprocess.run([*map(str, command)], cwd=ROOT, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, (
        f"{' '.join(map(str, command[:4]))} …\n{finished.stdout[-4000:]}{finished.stderr[-4000:]}"
    )


def test_files_are_short():
    """One concern a file: 400 lines, of a test 600."""
    languages = ("cc", "h", "c", "java", "py", "ts", "tsx", "css", "sh")
    long = {}
    for path in tracked(*(f"*.{language}" for language in languages)):
        name = path.relative_to(ROOT)
        most = 600 if name.parts[0] in ("tests", "integration") else 400
        lines = len(path.read_text().splitlines())
        if lines > most:
            long[str(name)] = lines
    assert not long


def test_cpp_is_formatted():
    run("clang-format", "--dry-run", "-Werror", *tracked("*.cc", "*.h"))


@pytest.mark.full
def test_hook_room_is_tidy():
    """clang-tidy over the code that runs inside other people's processes; .clang-tidy says what it looks for."""
    of_the_report = (
        *("facts", "intake", "rollup", "store", "postmortem"),
        *("budget", "advice", "report", "program", "eventlog"),
    )
    core = [path for path in tracked("common/*.cc") if path.relative_to(ROOT).parts[1] not in of_the_report]
    assert core
    tidy = Tidy(ROOT, pathlib.Path(os.environ["MEMPROF_BUILD"]))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        assert "".join(pool.map(tidy.complaints, core)) == ""


def test_browser_app_is_formatted():
    app = ROOT / "report-app"
    prettier = app / "node_modules/prettier/bin/prettier.cjs"
    options = ["--config", app / ".prettierrc.json", "--ignore-path", app / ".prettierignore"]
    run("node", prettier, *options, "--check", app)


def test_python_is_formatted():
    run(sys.executable, "-m", "ruff", "format", "--check", ".")


def test_python_is_lint_free():
    run(sys.executable, "-m", "ruff", "check", ".")


def test_shell_scripts_parse():
    scripts = [*tracked("*.sh"), ROOT / ".ci/run"]
    assert scripts
    for script in scripts:
        run("bash", "-n", script)


def test_java_is_formatted():
    jar = pathlib.Path(os.environ["MEMPROF_BUILD"]).parent / "tools" / "google-java-format.jar"
    if not jar.exists():
        coordinates = "com.google.googlejavaformat:google-java-format:1.25.2:jar:all-deps"
        run(
            "mvn",
            "-q",
            "-B",
            "dependency:copy",
            f"-Dartifact={coordinates}",
            f"-DoutputDirectory={jar.parent}",
            "-Dmdep.stripVersion=true",
            "-Dmdep.stripClassifier=true",
        )
    exports = [
        f"--add-exports=jdk.compiler/com.sun.tools.javac.{package}=ALL-UNNAMED"
        for package in ("api", "code", "file", "parser", "tree", "util")
    ]
    run("java", *exports, "-jar", jar, "--dry-run", "--set-exit-if-changed", *tracked("*.java"))


@pytest.mark.parametrize(
    "folder",
    [
        "common",
        "jvmti-agent",
        "pyworker-shim",
        "java-glue",
        "report-app",
        "tests",
        "tests/browser",
        "integration",
        "docs",
    ],
)
def test_room_has_a_readme(folder):
    text = (ROOT / folder / "README.md").read_text()
    assert 3 <= len(text.splitlines()) <= 40, (
        f"{folder}/README.md: what the room is for, what may enter, where to start reading, in ten lines or so"
    )


def test_no_machine_paths():
    """Nothing tracked may speak of the machine it was made on."""
    private = re.compile(r"/(?:home|Users)/\w+/|/(?:root|work)/")
    for path in tracked("*"):
        if path.suffix in (".png", ".jar"):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            assert not private.search(line), (
                f"{path.relative_to(ROOT)}:{number}: a path of one machine: {line.strip()[:100]}"
            )
