"""Spark's JVMs start in little more than half the time when they map the classes of Spark from an archive.

The classes are the same ones, and a JVM that cannot use the archive (another JDK, another class path) reads the jars.
"""

import os
import pathlib

import processes

JOB = pathlib.Path(__file__).parent / "jobs/shared_classes.py"
# An archive takes half a minute: it pays for itself after that many applications.
FEW_TESTS = 30


def archive_classes(home, python, folder, environment):
    """JDK_JAVA_OPTIONS for JVMs of the Spark in `home`: an application in `folder` has written what it had loaded."""
    path = folder / "classes.jsa"
    words = [home / "bin/spark-submit", "--master", "local[2]", "--conf", "spark.ui.enabled=true", JOB]
    environment |= {"SPARK_SUBMIT_OPTS": f"-XX:ArchiveClassesAtExit={path}", "PYSPARK_PYTHON": str(python)}
    finished = processes.run(words, 300, env=environment, cwd=folder)
    assert os.path.exists(path), f"no archive of classes: exit status {finished.returncode}\n{finished.stderr[-3000:]}"
    return f"-XX:SharedArchiveFile={path} -Xlog:cds*=off"
