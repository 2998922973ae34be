"""A YARN of one node in a JVM of its own, in which the NodeManager really kills."""

import contextlib
import fcntl
import re
import subprocess

import processes

SOURCE = "yarn/MiniYarn.java"
START_SECONDS = 90
# Hadoop's injection of dependencies defines classes in a way that JDK 17 has closed.
OPENED = "--add-opens=java.base/java.lang=ALL-UNNAMED"


class MiniYarn:
    """conf: the HADOOP_CONF_DIR of its clients."""

    def __init__(self, sources, jars, folder, *, node_mib, largest_mib=None, prefix=()):
        """jars: a folder to keep Hadoop's in; Maven fetches what is missing. largest_mib: of a container.

        prefix: words before its command.
        """
        pom = sources / "yarn/pom.xml"
        fetch = ["mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies", f"-DoutputDirectory={jars}"]
        jars.mkdir(parents=True, exist_ok=True)
        with (jars / ".lock").open("w") as lock:  # processes of xdist may ask at once
            fcntl.flock(lock, fcntl.LOCK_EX)
            processes.run(fetch, 600).check_returncode()
        self.conf = folder / "conf"
        self.conf.mkdir()
        log = folder / "yarn.log"
        sizes = [str(node_mib), str(largest_mib or node_mib)]
        with log.open("w") as out:
            self._process = processes.start(
                [*prefix, "java", OPENED, "-cp", f"{jars}/*", sources / SOURCE, self.conf, *sizes],
                cwd=folder,
                stdin=subprocess.PIPE,  # its end is the cluster's
                stdout=out,
                stderr=subprocess.STDOUT,
            )

        def is_ready():
            assert self._process.poll() is None, f"YARN has ended:\n{log.read_text()[-3000:]}"
            return re.search("^MiniYarn is ready", log.read_text(), re.MULTILINE)

        try:
            processes.until(is_ready, START_SECONDS, lambda: f"YARN starts:\n{log.read_text()[-3000:]}")
        except BaseException:
            self.stop()
            raise

    def stop(self):
        try:
            self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(processes.patient(30))
        finally:
            processes.kill_session(self._process)
