"""Arguments and properties files are read as spark-submit reads them."""

import importlib

import pytest


@pytest.fixture
def module(package, monkeypatch):
    monkeypatch.syspath_prepend(str(package))
    return importlib.import_module("sparkmemprof.cli.spark_arguments")


def test_options_end_at_the_application(module):
    arguments = module.SparkArguments(["--master", "yarn", "--supervise", "job.py", "--master", "local"])
    assert arguments.option("--master") == "yarn"
    assert arguments.options == [["--master", "yarn"], ["--supervise", None]]
    assert arguments.rest == ["job.py", "--master", "local"]
    assert arguments.line() == ["--master", "yarn", "--supervise", "job.py", "--master", "local"]


def test_values_may_look_like_options(module):
    arguments = module.SparkArguments(["--driver-java-options", "-Xss1m", "--conf", "a=b=c d", "-c", "e=", "job.py"])
    assert arguments.option("--driver-java-options") == "-Xss1m"
    assert arguments.conf("a") == "b=c d"
    assert arguments.conf("e") == ""
    assert arguments.conf("f") is None


def test_an_option_at_the_end_without_its_value(module):
    assert module.SparkArguments(["--conf"]).line() == ["--conf"]


def test_properties(module, tmp_path):
    path = tmp_path / "spark-defaults.conf"
    path.write_text(
        "# a comment\n! another\n\nspark.a   1\nspark.b=2\nspark.c : 3 \nspark.d=a=b c\n"
        "spark.long = one,\\\n    two\nspark.empty\nspark.esc\\=aped x\n"
    )
    assert module.read_properties(path) == {
        "spark.a": "1",
        "spark.b": "2",
        "spark.c": "3",
        "spark.d": "a=b c",
        "spark.long": "one,two",
        "spark.empty": "",
        "spark.esc=aped": "x",
    }
