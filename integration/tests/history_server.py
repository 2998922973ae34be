"""Spark's History Server over a directory of event logs, with our jar on its class path."""

import contextlib
import os
import re
import subprocess
import time

import processes
from conftest import clean_environment
from live_application import ask

_STARTED = re.compile(r"Bound HistoryServer to \S+, and started at http://\S+?:(\d+)")


class HistoryServer:
    def __init__(self, port, log):
        self.host = f"127.0.0.1:{port}"
        self._log = log

    def ask(self, path, method="GET", **headers):
        return ask(self.host, path, method, headers)

    def page(self, application, path="", **options):
        """`path` below the application's own pages; waits until the server has listed and loaded it."""
        address = f"/history/{application}/{path}"
        deadline = time.monotonic() + processes.patient(60)
        answer = self.ask(address, **options)
        while answer.status in (302, 404) and time.monotonic() < deadline and not self._loaded(application, options):
            time.sleep(0.2)
            answer = self.ask(address, **options)
        return self.ask(address, **options)

    def _loaded(self, application, options):
        return self.ask(f"/history/{application}/jobs/", **options).status in (200, 403)

    def log(self):
        return self._log.read_text()


@contextlib.contextmanager
def serving(spark, logs, folder, class_path, settings=()):
    folder.mkdir(parents=True)
    log = folder / "server.log"
    options = {
        "spark.history.fs.logDirectory": logs,
        "spark.history.ui.port": 0,
        "spark.history.fs.update.interval": "1s",
        **dict(settings),
    }
    environment = clean_environment(
        spark,
        SPARK_DAEMON_CLASSPATH=os.pathsep.join(map(str, class_path)),
        SPARK_HISTORY_OPTS=" ".join(f"-D{key}={value}" for key, value in options.items()),
        SPARK_DAEMON_MEMORY="512m",
    )
    with log.open("w") as out:
        command = [spark.home / "bin/spark-class", "org.apache.spark.deploy.history.HistoryServer"]
        process = processes.start(command, cwd=folder, env=environment, stdout=out, stderr=subprocess.STDOUT)

    def started():
        assert process.poll() is None, log.read_text()
        return _STARTED.search(log.read_text())

    try:
        yield HistoryServer(int(processes.until(started, 90, log.read_text)[1]), log)
    finally:
        processes.stop(process)
