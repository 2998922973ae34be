"""Runs small Java programs in child JVMs with the freshly built agent and reads the messages it made."""

import json
import os
import pathlib
import shutil
import subprocess

import processes
import pytest
from jdks import JDKS, lacks_collector

REPO = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("MEMPROF_BUILD", REPO / "build" / "release"))
LIBRARY = BUILD / "jvmti-agent" / "libsparkmemprof.so"
JNI_SOURCES = REPO / "java-glue" / "src" / "main" / "java" / "org" / "sparkmemprof" / "jni"


def dump(path):
    """The envelope in a file, as the test tool prints it."""
    text = subprocess.run(
        [BUILD / "tests" / "jvm" / "profile_dump", path], check=True, capture_output=True, text=True
    ).stdout
    return json.loads(text)


class Outcome:
    """A child JVM that has ended: exit status, output, and the messages it left in its folder."""

    def __init__(self, process, folder):
        self.status = process.returncode
        self.out = process.stdout
        self.err = process.stderr
        self.folder = folder

    @property
    def warnings(self):
        return [line for line in self.err.splitlines() if line.startswith("sparkmemprof: ")]

    def envelope(self, name):
        return dump(self.folder / name)

    def task(self, name):
        return self.envelope(name)["task"]

    def messages(self):
        """What takeMessage() handed out, in order."""
        return [dump(path) for path in sorted(self.folder.glob("message-*"))]

    def snapshots(self):
        """Those of the messages that tell of the whole executor, in order."""
        return [message["executor"] for message in self.messages() if "executor" in message]


class Java:
    """One JDK with the compiled test programs."""

    def __init__(self, version, classes, folder):
        self.version = version
        self.home = JDKS[version][0]
        self.classes = classes
        self.folder = folder

    def run(self, program, *arguments, agent="", jvm=(), timeout=120, env=None, prefix=()):
        """Runs a program. agent: its options, None: no -agentpath; jvm: further JVM options; prefix: words before."""
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [*prefix, self.home / "bin" / "java"]
        if agent is not None:
            command.append(f"-agentpath:{LIBRARY}{'=' + agent if agent else ''}")
        if self.version == "25":
            command.append("--enable-native-access=ALL-UNNAMED")
        command += [*jvm, "-cp", self.classes, program, *arguments]
        environment = {**os.environ, "MEMPROF_LIBRARY": str(LIBRARY), "PROBE_PATIENCE": processes.PROFILERS_PATIENCE}
        environment |= env or {}
        process = processes.run(command, timeout, cwd=self.folder, env=environment)
        return Outcome(process, self.folder)


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    target = tmp_path_factory.mktemp("classes")
    sources = [JNI_SOURCES / f"{name}.java" for name in ("NativeAgent", "NativeFeed", "NativeReport", "NativeStore")]
    sources.append(JNI_SOURCES.parent / "gc" / "CollectionNews.java")
    sources += sorted((pathlib.Path(__file__).parent / "java").glob("*.java"))
    javac = shutil.which("javac") or JDKS["17"][0] / "bin" / "javac"
    command = [javac, "--release", "11", "-g", "-d", target, *sources]
    compiled = subprocess.run(command, check=False, capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr  # its warnings about Unsafe are nobody's concern
    return target


@pytest.fixture(params=["17", "25", pytest.param("21", marks=pytest.mark.full)])
def java(request, classes, tmp_path):
    """Each supported JDK that this machine has; 17 must be there. 21 is for the full tier."""
    if not JDKS[request.param]:
        assert request.param != "17", "JDK 17 is missing: apt-get install openjdk-17-jdk-headless"
        pytest.skip(f"JDK {request.param} is not installed")
    return Java(request.param, classes, tmp_path)


@pytest.fixture
def java17(classes, tmp_path):
    assert JDKS["17"], "JDK 17 is missing: apt-get install openjdk-17-jdk-headless"
    return Java("17", classes, tmp_path)


@pytest.fixture
def java25(classes, tmp_path):
    if not JDKS["25"]:
        pytest.skip("JDK 25 is not installed")
    return Java("25", classes, tmp_path)


@pytest.fixture
def java11(classes, tmp_path):
    """For the full tier: not all holds there (docs/decisions/0316)."""
    if not JDKS["11"]:
        pytest.skip("JDK 11 is not installed")
    return Java("11", classes, tmp_path)


def skip_without(java, collector, outcome):
    """Where this JDK was built without a garbage collector, e.g. "Shenandoah"."""
    if why := lacks_collector(collector, outcome.err + outcome.out):  # HotSpot says some of it on stdout
        pytest.skip(f"JDK {java.version} has no {collector}GC: {why}")


def sites(task, origin, function):
    """Sites of an origin with a frame of this function (com.acme.Class.method)."""
    return [
        site
        for site in task["sites"]
        if site["origin"] == origin and any(f["function"] == function for f in site["frames"])
    ]


def total(task, origin):
    """All bytes of an origin: its sites and its remainder."""
    return sum(
        row["allocatedBytes"] for rows in (task["sites"], task["remainders"]) for row in rows if row["origin"] == origin
    )
