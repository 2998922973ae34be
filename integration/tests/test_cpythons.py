"""Spark 4 on CPython 3.14 (all other tests have 3.11): each kind of UDF, its lines and their bytes; its prompts."""

import os

import pytest
from conftest import Launcher, make_spark
from test_kinds import (  # noqa: F401
    kinds_run,
    sites,
    test_every_block_of_the_helper_belongs_to_a_function,
    test_functions_of_a_chain_are_told_apart,
    test_kind,
)

pytestmark = pytest.mark.full


@pytest.fixture(scope="session")
def line():
    return "4"


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    python = os.environ.get("MEMPROF_PYTHON_4_ON_3_14")
    if not python:
        pytest.skip("no CPython 3.14 that Spark 4 is installed for; tests/run.sh --full sets MEMPROF_PYTHON_4_ON_3_14")
    return make_spark("4", tmp_path_factory.mktemp("spark-4-on-3.14-"), python)


@pytest.mark.parametrize("terminal", ["xterm", "dumb"])
def test_what_was_typed_at_the_prompt_has_its_text(shared_run, package, terminal):
    """Python has two prompts: one that edits what is typed, and one for terminals that can't."""
    environment = {"PYTHONPATH": package}.items()
    run = shared_run("prompt.py", terminal, master="local[2,1]", environment=environment).demand_success()
    lines = [row for stage in run.report()["stages"] for row in stage["lines"] if row["file"].startswith("<")]
    typed = {row["function"]: row for row in lines if row["allocatedBytes"] >= 2 * 3_800_000}
    assert sorted(typed) == ["early", "late"], run.result()
    for line in typed.values():
        assert line["file"].startswith("<python-input-" if terminal == "xterm" else "<stdin-")
    said = {name: (line["line"], line["source"]) for name, line in typed.items()}
    assert said["early"] == (2, "return len(bytearray(3_900_031))  # early"), "typed before there was an application"
    assert said["late"] == (2, "return len(bytearray(3_800_029))  # late")


@pytest.fixture(scope="session")
def shared_run(spark, jar, tmp_path_factory):
    return Launcher(spark, jar, tmp_path_factory.mktemp("shared"))
