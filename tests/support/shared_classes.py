"""Spark's JVMs start in little more than half the time when they map the classes of Spark from an archive.

The classes are the same ones, and a JVM that cannot use the archive (another JDK, another class path) reads the jars.

Of such a JVM nothing is seen but the time that it takes: the archive names the jars' places, and once those were links
of a test run that had ended. So it is asked whether the archive is used.
"""

import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import processes

JOB = pathlib.Path(__file__).with_name("load_classes.py")
# An archive takes a minute: it pays for itself in a run of more tests than that.
FEW_TESTS = 30
DAYS_KEPT = 30  # without use
# Of applications that live for seconds the second compiler takes a third of all processor time.
SHORT_LIVED = "-XX:TieredStopAtLevel=1"


def spark_of(python):
    """SPARK_HOME of the PySpark that this Python has."""
    code = "import importlib.util; print(*importlib.util.find_spec('pyspark').submodule_search_locations)"
    told = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    return pathlib.Path(told.strip())


def cache_folder():
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "sparkmemprof"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def contents(place, environment):
    """A word for what goes into the archive, and for where its jars lie: a JVM looks for them at that place."""
    java = pathlib.Path(environment["JAVA_HOME"], "bin/java") if "JAVA_HOME" in environment else "java"
    version = subprocess.run([java, "-version"], env=environment, capture_output=True, text=True, check=True).stderr
    jars = [(str(jar), jar.stat().st_size, jar.stat().st_mtime) for jar in sorted((place / "jars").glob("*.jar"))]
    return hashlib.sha1(repr((version, jars, JOB.read_bytes())).encode()).hexdigest()[:16]


def place_file(archive):
    return archive.with_suffix(".place")


def let_old_ones_go():
    """Archives that nobody uses, or whose jars are gone, and what was left of a process that was killed."""
    for entry in sorted(cache_folder().glob("classes-*")):  # the .place after what lies there
        try:
            days = (time.time() - entry.stat().st_mtime) / 86_400
            noted = place_file(entry)
            place = noted.read_text() if noted.exists() else "/"
            if entry.is_dir() and days > 1:
                shutil.rmtree(entry)
            elif days > DAYS_KEPT or not pathlib.Path(place).exists():
                entry.unlink()
        except OSError:  # another checkout's tests clear up, too
            continue


def make_archive(place, environment, path):
    with tempfile.TemporaryDirectory(dir=path.parent, prefix="classes-new-") as folder:
        made = pathlib.Path(folder, path.name)
        words = [place / "bin/spark-submit", "--master", "local[2]", "--conf", "spark.ui.enabled=true", JOB]
        environment = environment | {
            "SPARK_HOME": str(place),
            "SPARK_SUBMIT_OPTS": f"-XX:ArchiveClassesAtExit={made}",
            "JDK_JAVA_OPTIONS": SHORT_LIVED,
        }
        finished = processes.run(words, 300, env=environment, cwd=folder)
        told = f"no archive of classes: exit status {finished.returncode}\n{finished.stderr[-3000:]}"
        assert finished.returncode == 0, told
        assert made.exists(), told
        place_file(path).write_text(str(place))
        made.replace(path)


def why_unused(home, environment, options):
    """What a JVM says that cannot use the archive; "" if it uses it."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "classes")
        environment = environment | {
            "SPARK_HOME": str(home),
            "JDK_JAVA_OPTIONS": f"{options} -Xlog:class+load:file={log} -Xlog:cds*",
        }
        finished = processes.run([home / "bin/spark-submit", "--version"], 120, env=environment, cwd=folder)
        loaded = log.read_text() if log.exists() else ""
    if "org.apache.spark.deploy.SparkSubmit source: shared objects file (top)" in loaded:
        return ""
    said = [line for line in finished.stdout.splitlines() if "UseSharedSpaces" in line or "[warning]" in line]
    return "\n".join([f"exit status {finished.returncode}", *said, finished.stderr[-3000:]])


def quick_start_options(home, python):
    """JDK_JAVA_OPTIONS for short-lived JVMs with the jars of the Spark in `home`, which may consist of links.

    The archive is kept outside the checkout, for the next run. Several processes may ask for it; one makes it.
    """
    local = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": str(python)}
    environment = processes.kept_environment() | local
    place = (home / "jars").resolve().parent  # links are gone when their test run is
    path = cache_folder() / f"classes-{contents(place, environment)}.jsa"
    options = f"-XX:SharedArchiveFile={path} {SHORT_LIVED}"
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            os.utime(path)
        let_old_ones_go()
        if not path.exists() or why_unused(home, environment, options):
            make_archive(place, environment, path)
            why = why_unused(home, environment, options)
            assert not why, f"no JVM of {home} can use {path}: {why}"
    return f"{options} -Xlog:cds*=off"
