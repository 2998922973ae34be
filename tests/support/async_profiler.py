"""async-profiler's library, from Maven Central: what many people have in their JVMs beside us."""

import fcntl
import platform
import zipfile

import processes

ARTIFACT = "tools.profiler:async-profiler:4.0"
NAMES = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}


def library(folder):
    """The path of the library, in a folder to keep it in; Maven fetches what is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "libasyncProfiler.so"
    with (folder / ".lock").open("w") as lock:  # processes of xdist may ask at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            return path
        fetch = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={ARTIFACT}", f"-DoutputDirectory={folder}"]
        processes.run(fetch, 600).check_returncode()
        (jar,) = folder.glob("*.jar")
        with zipfile.ZipFile(jar) as content:
            path.write_bytes(content.read(f"{NAMES[platform.machine()]}/{path.name}"))
    return path
