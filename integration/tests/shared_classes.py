"""Spark's JVMs start in little more than half the time when they map the classes of Spark from an archive.

The classes are the same ones, and a JVM that cannot use the archive (another JDK, another class path) reads the jars.
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import subprocess
import time

import processes

JOB = pathlib.Path(__file__).parent / "jobs/shared_classes.py"
# An archive takes half a minute: it pays for itself after that many applications.
FEW_TESTS = 30
DAYS_KEPT = 30  # without use


def cache_folder():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sparkmemprof"


def contents(home, environment):
    """A word for what goes into the archive. The JVM itself compares the jars with those it was made of."""
    java = subprocess.run(["java", "-version"], env=environment, capture_output=True, text=True, check=True).stderr
    jars = [(jar.name, jar.stat().st_size, jar.stat().st_mtime) for jar in sorted((home / "jars").glob("*.jar"))]
    return hashlib.sha1(repr((java, jars, JOB.read_bytes())).encode()).hexdigest()[:16]


def let_old_ones_go(folder):
    for archive in folder.glob("classes-*.jsa"):
        with contextlib.suppress(OSError):  # another checkout's tests clear up, too
            if time.time() - archive.stat().st_mtime > DAYS_KEPT * 86_400:
                archive.unlink()


def archive_classes(home, python, environment):
    """JDK_JAVA_OPTIONS for JVMs with the jars of the Spark in `home`, or of another with the same ones.

    It is kept outside the checkout, for the next run. Several processes may ask for it; one makes it.
    """
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"classes-{contents(home, environment)}.jsa"
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            let_old_ones_go(folder)
            made = path.with_suffix(".new")
            made.unlink(missing_ok=True)
            words = [home / "bin/spark-submit", "--master", "local[2]", "--conf", "spark.ui.enabled=true", JOB]
            environment = environment | {
                "SPARK_SUBMIT_OPTS": f"-XX:ArchiveClassesAtExit={made}",
                "PYSPARK_PYTHON": str(python),
            }
            finished = processes.run(words, 300, env=environment, cwd=home.parent)
            told = f"no archive of classes: exit status {finished.returncode}\n{finished.stderr[-3000:]}"
            assert finished.returncode == 0, told
            assert made.exists(), told
            made.rename(path)
    os.utime(path)
    return f"-XX:SharedArchiveFile={path} -Xlog:cds*=off"
