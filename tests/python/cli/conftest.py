"""Fixtures of the command line's tests: the package with its native module, a bundle, a sample report, a fake Spark."""

import json
import os
import pathlib
import subprocess
import sys

import processes
import pytest
from linked_package import link_package

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("MEMPROF_BUILD", ROOT / "build" / "release"))

# A spark-submit that writes down how it was called, does what FAKE_JOB says and exits with FAKE_STATUS.
FAKE_SPARK_SUBMIT = """#!{python}
import json, os, pathlib, signal, sys
pathlib.Path(os.environ["FAKE_RECORD"]).write_text(json.dumps({{"argv": sys.argv[1:], "pid": os.getpid()}}))
exec(os.environ.get("FAKE_JOB", ""))
print("from the job")
sys.exit(int(os.environ.get("FAKE_STATUS", "0")))
"""


@pytest.fixture(scope="session")
def package(tmp_path_factory):
    """A folder for PYTHONPATH with the package as a wheel has it, without the bundle."""
    folder = tmp_path_factory.mktemp("package")
    link_package(folder, ROOT, BUILD)
    return folder


@pytest.fixture(scope="session")
def library():
    """The real libsparkmemprof.so."""
    path = BUILD / "jvmti-agent" / "libsparkmemprof.so"
    assert path.exists(), f"{path} is missing: build the target sparkmemprof"
    return path


@pytest.fixture
def bundle(tmp_path, library):
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "sparkmemprof.jar").write_bytes(b"PK\x05\x06" + bytes(18))
    (folder / "libsparkmemprof.so").symlink_to(library)
    return folder


@pytest.fixture(scope="session")
def sample_report(tmp_path_factory):
    """Bytes of a report.json that the C++ tests' sample store made (tests/cpp/report/sample_store.h)."""
    path = tmp_path_factory.mktemp("sample") / "report.json"
    program = BUILD / "tests" / "report_tests"
    subprocess.run(
        [program, "--gtest_filter=SampleReport.*"],
        env={**os.environ, "MEMPROF_SAMPLE_REPORT": str(path)},
        check=True,
        capture_output=True,
    )
    return path.read_bytes()


@pytest.fixture
def cli(package, bundle, tmp_path):
    """Runs `sparkmemprof WORDS…`; keyword arguments: env (added), cwd."""

    def run(*words, env=None, cwd=None):
        clean = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("SPARK", "PYSPARK", "MEMPROF")) and key not in ("PYTHONPATH", "MASTER")
        }
        return processes.run(
            [sys.executable, "-m", "sparkmemprof.cli.main", *words],
            60,
            env={**clean, "PYTHONPATH": str(package), "SPARKMEMPROF_BUNDLE": str(bundle), **(env or {})},
            cwd=cwd or tmp_path,
        )

    return run


class FakeSpark:
    """A SPARK_HOME whose spark-submit only takes notes."""

    def __init__(self, folder):
        self.home = folder / "spark"
        self.record = folder / "record.json"
        self._write("spark-submit", FAKE_SPARK_SUBMIT.format(python=sys.executable))

    def _write(self, name, text):
        program = self.home / "bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)

    def wrap(self, end):
        """From now on spark-submit is a script that starts the fake as a process of its own and then does `end`."""
        program = self.home / "bin" / "spark-submit"
        program.rename(program.with_name("real-submit"))
        self._write("spark-submit", f'#!/bin/sh\n"$SPARK_HOME/bin/real-submit" "$@" &\n{end}\n')

    def defaults(self, text):
        conf = self.home / "conf"
        conf.mkdir(exist_ok=True)
        (conf / "spark-defaults.conf").write_text(text)

    @property
    def env(self):
        return {"SPARK_HOME": str(self.home), "FAKE_RECORD": str(self.record)}

    @property
    def argv(self):
        return json.loads(self.record.read_text())["argv"]

    def confs(self):
        """The --conf pairs it got; fails on a key given twice."""
        pairs = [word.split("=", 1) for flag, word in zip(self.argv, self.argv[1:]) if flag == "--conf"]
        assert len(dict(pairs)) == len(pairs), f"a key twice: {pairs}"
        return dict(pairs)


@pytest.fixture
def fake_spark(tmp_path):
    return FakeSpark(tmp_path)
