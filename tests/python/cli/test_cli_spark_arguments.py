"""Arguments and properties files are read as spark-submit reads them."""

import importlib
import os
import pathlib
import re
import zipfile

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


@pytest.mark.parametrize("line", ["3_5", "4"])
def test_what_takes_a_value_is_what_sparks_own_parser_says(module, line):
    python = os.environ.get(f"MEMPROF_PYTHON_{line}")
    if not python:
        pytest.skip(f"MEMPROF_PYTHON_{line} names no Python with pyspark; tests/run.sh sets it")
    (jar,) = pathlib.Path(python).parents[1].glob("lib/python3*/site-packages/pyspark/jars/spark-launcher_*.jar")
    with zipfile.ZipFile(jar) as classes:
        constants = classes.read("org/apache/spark/launcher/SparkSubmitOptionParser.class")
    switches = {"--help", "--load-spark-defaults", "--supervise", "--usage-error", "--verbose", "--version"}
    sparks = {name.decode() for name in re.findall(rb"--[a-z][a-z-]+", constants)}
    assert "--properties-file" in sparks
    assert sparks - switches <= module._WITH_VALUE


def test_an_option_at_the_end_without_its_value(module):
    assert module.SparkArguments(["--conf"]).line() == ["--conf"]


def test_files_of_properties_in_sparks_order(module, tmp_path):
    conf = tmp_path / "conf"
    conf.mkdir()
    files = {conf / "spark-defaults.conf": "a 1\nb 1\nc 1\nd 1", tmp_path / "chosen": "b 2\nc 2\nd 2"}
    files |= {tmp_path / "first": "c 3\nd 3", tmp_path / "second": "d 4"}
    for path, text in files.items():
        path.write_text(text)
    extra = [word for name in ("first", "second") for word in ("--extra-properties-file", str(tmp_path / name))]

    def read(*words):
        return module.default_properties(module.SparkArguments([*words, *extra, "job.py"]), str(tmp_path), {})

    assert read() == {"a": "1", "b": "1", "c": "3", "d": "4"}
    chosen = ("--properties-file", str(tmp_path / "chosen"))
    assert read(*chosen) == {"b": "2", "c": "3", "d": "4"}
    assert read("--load-spark-defaults", *chosen) == {"a": "1", "b": "2", "c": "3", "d": "4"}


def test_properties(module, tmp_path):
    path = tmp_path / "spark-defaults.conf"
    path.write_text(
        "# a comment\n! another\n\nspark.a   1\nspark.b=2\nspark.c : 3 \nspark.d=a=b c\n"
        "spark.long = one,\\\n    two\nspark.empty\nspark.esc\\=aped x\n"
        "# a comment goes on nowhere \\\nspark.e 5\n#\\\n\nspark.two=C:\\\\\nspark.f 6\r"
        "spark.g  \\t\\u0041\\q\\\r\n  # no comment\n"
        "spark.pair \\ud83d\\uDE00 \\ud83d\n"
        "spark.h one\u2028line\x85 \n   spark.last=7\\"
    )
    assert module.read_properties(path) == {
        "spark.a": "1",
        "spark.b": "2",
        "spark.c": "3",
        "spark.d": "a=b c",
        "spark.long": "one,two",
        "spark.empty": "",
        "spark.esc=aped": "x",
        "spark.e": "5",
        "spark.two": "C:\\",
        "spark.f": "6",
        "spark.g": "Aq# no comment",
        "spark.pair": "\U0001f600 \ufffd",
        "spark.h": "one\u2028line\x85",
        "spark.last": "7",
    }
