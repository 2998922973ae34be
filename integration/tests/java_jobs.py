"""Jobs that are Java classes: compiled from jobs/NAME.java, and handed to Spark beside the profiler's own jar."""

import shutil
import subprocess
import zipfile

import pytest
from conftest import JOBS


def jars_with(name, spark, jar, folder):
    """The value of spark.jars: the profiler's, and one with jobs/NAME.java."""
    javac = shutil.which("javac")
    if javac is None:
        pytest.skip("no javac on PATH: it comes with the JDK that the build needs")
    command = [javac, "-g", "--release", "11", "-cp", f"{spark.home}/jars/*", "-d", folder, JOBS / f"{name}.java"]
    subprocess.run(command, check=True, capture_output=True)
    path = folder / "job.jar"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(folder / f"{name}.class", f"{name}.class")
    return f"{jar},{path}"
