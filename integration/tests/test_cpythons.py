"""Spark 4 on CPython 3.14 (all other tests have 3.11): each kind of UDF, its lines and their bytes."""

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


@pytest.fixture(scope="session")
def shared_run(spark, jar, tmp_path_factory):
    return Launcher(spark, jar, tmp_path_factory.mktemp("shared"))
