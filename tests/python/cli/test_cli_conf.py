"""`sparkmemprof conf`: one line that any shell and spark-defaults.conf take, and a library that is checked first."""

import shlex
import shutil

import pytest


def settings(finished):
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.count("\n") == 1
    words = finished.stdout.split()
    assert words[::2] == ["--conf"] * (len(words) // 2)
    assert shlex.split(finished.stdout) == words, "no quoting needed"
    return dict(word.split("=", 1) for word in words[1::2])


def test_the_jar_alone_is_enough(cli, bundle):
    assert settings(cli("conf")) == {
        "spark.jars": f"{bundle}/sparkmemprof.jar",
        "spark.plugins": "org.sparkmemprof.MemoryProfilerPlugin",
    }


@pytest.mark.parametrize("master", ["local", "local[*]", "local[4]", "local[2,3]"])
def test_local_mode_is_the_drivers_jvm(cli, bundle, master):
    found = settings(cli("conf", "--master", master))
    assert found["spark.driver.extraJavaOptions"] == f"-agentpath:{bundle}/libsparkmemprof.so"
    assert "spark.executor.extraJavaOptions" not in found


def test_local_cluster_is_the_executors(cli, bundle):
    found = settings(cli("conf", "--master", "local-cluster[2,1,1024]"))
    assert found["spark.executor.extraJavaOptions"] == f"-agentpath:{bundle}/libsparkmemprof.so"
    assert "spark.driver.extraJavaOptions" not in found


def test_yarn_ships_the_library_if_it_is_asked_to(cli, bundle):
    found = settings(cli("conf", "--master", "yarn", "--agentpath", "shipped"))
    assert found["spark.yarn.dist.files"] == f"file://{bundle}/libsparkmemprof.so"
    assert found["spark.executor.extraJavaOptions"] == "-agentpath:./libsparkmemprof.so"


@pytest.mark.parametrize("master", ["yarn", "spark://host:7077", "k8s://https://host:6443", "mesos://host:5050"])
def test_elsewhere_only_where_the_user_says_it_lies(cli, library, master):
    """A JVM there that can't load it would not start, and it can't be tried from here."""
    assert set(settings(cli("conf", "--master", master))) == {"spark.jars", "spark.plugins"}
    found = settings(cli("conf", "--master", master, "--agentpath", library))
    assert found["spark.executor.extraJavaOptions"] == f"-agentpath:{library}"


def test_agentpath_on_yarn_is_a_path_on_the_nodes(cli, library):
    found = settings(cli("conf", "--master", "yarn", "--agentpath", library))
    assert found["spark.executor.extraJavaOptions"] == f"-agentpath:{library}"
    assert "spark.yarn.dist.files" not in found


def test_a_relative_path_becomes_absolute(cli, library, tmp_path):
    (tmp_path / "here.so").symlink_to(library)
    found = settings(cli("conf", "--agentpath", "here.so"))
    assert found["spark.executor.extraJavaOptions"] == f"-agentpath:{tmp_path}/here.so"


def refused(finished, *parts):
    assert finished.returncode == 2
    assert finished.stdout == ""
    assert finished.stderr.startswith("error: ")
    assert "Traceback" not in finished.stderr
    for part in parts:
        assert part in finished.stderr, finished.stderr


def test_unknown_master(cli):
    refused(cli("conf", "--master", "lokal"), "not a Spark master", "'lokal'")


@pytest.mark.parametrize("master", [("--master", "spark://host:7077"), ("--master", "local[2]"), ()])
def test_only_yarn_ships(cli, master):
    refused(cli("conf", *master, "--agentpath", "shipped"), "for --master yarn alone", "give the path")


def test_no_bundle(cli, tmp_path):
    refused(cli("conf", env={"SPARKMEMPROF_BUNDLE": str(tmp_path / "none")}), "sparkmemprof.jar is missing")


@pytest.mark.parametrize("name", ["with blank", "with,comma", "with'quote", "with*star"])
def test_paths_that_spark_cannot_carry(cli, bundle, name):
    folder = bundle.with_name(name)
    shutil.copytree(bundle, folder, symlinks=True)
    refused(cli("conf", env={"SPARKMEMPROF_BUNDLE": str(folder)}), "cannot carry", str(folder))


def test_missing_library(cli, tmp_path):
    refused(cli("conf", "--agentpath", tmp_path / "none.so"), "no such library", "none.so")


def test_folder_instead_of_library(cli, tmp_path):
    refused(cli("conf", "--agentpath", tmp_path), "not a file")


def test_text_instead_of_library(cli, tmp_path):
    path = tmp_path / "text.so"
    path.write_text("not a library")
    refused(cli("conf", "--agentpath", path), "not a shared library")


def test_library_for_another_machine(cli, library, tmp_path):
    path = tmp_path / "foreign.so"
    content = bytearray(library.read_bytes())
    content[18:20] = (243).to_bytes(2, "little")
    path.write_bytes(content)
    refused(cli("conf", "--agentpath", path), "built for riscv64")


def test_truncated_library(cli, library, tmp_path):
    path = tmp_path / "cut.so"
    path.write_bytes(library.read_bytes()[:4096])
    refused(cli("conf", "--agentpath", path), "load")


def test_another_library(cli, package):
    foreign = next((package / "sparkmemprof").glob("_store.*.so")).resolve()
    refused(cli("conf", "--agentpath", foreign), "not sparkmemprof's library", "Agent_OnLoad")
