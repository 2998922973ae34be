"""A Spark application that runs jobs/tab.py and waits while its UI is looked at."""

import contextlib
import dataclasses
import http.client
import json
import subprocess
import urllib.parse

import processes

BLOCK = 2_400_017  # the job's own: a bytearray of this length in each of two tasks
UI = {"spark.ui.enabled": "true", "spark.ui.port": "0", "spark.ui.showConsoleProgress": "false"}
PROMETHEUS = {
    "spark.metrics.conf.driver.sink.prometheusServlet.class": "org.apache.spark.metrics.sink.PrometheusServlet",
    "spark.metrics.conf.driver.sink.prometheusServlet.path": "/metrics/prometheus",
}


@dataclasses.dataclass
class Answer:
    status: int
    headers: dict
    body: bytes

    def text(self):
        return self.body.decode()

    def content_type(self):
        return self.headers["Content-Type"].lower().replace(" ", "")  # a server may write it in its own way

    def json(self):
        assert self.status == 200, self.text()
        assert self.headers["Content-Type"] == "application/json"
        return json.loads(self.body)


def ask(host, path, method="GET", headers=()):
    """`headers`: with _ in their names for -."""
    with contextlib.closing(http.client.HTTPConnection(host, timeout=processes.patient(60))) as connection:
        return _ask(connection, method, path, headers)


def _ask(connection, method, path, headers=()):
    connection.request(method, path, headers={name.replace("_", "-"): text for name, text in dict(headers).items()})
    response = connection.getresponse()
    return Answer(response.status, dict(response.getheaders()), response.read())


class LiveApplication:
    def __init__(self, address, process, end, run):
        self.address = address
        self._host = urllib.parse.urlsplit(address).netloc
        self._process = process
        self._end = end
        self._run = run

    def ask(self, path, method="GET", **headers):
        """`path` from the UI's root."""
        return ask(self._host, path, method, headers)

    @contextlib.contextmanager
    def reader(self):
        """One with a connection of its own, which the server has accepted: a function of the path in the tab."""
        with contextlib.closing(http.client.HTTPConnection(self._host, timeout=processes.patient(60))) as connection:
            _ask(connection, "GET", "/memory/nowhere")
            yield lambda path: _ask(connection, "GET", f"/memory/{path}")

    def tab(self, path="", **options):
        return self.ask(f"/memory/{path}", **options)

    def report(self):
        """The newest: on a slow machine the plain address may answer with one that is seconds old."""
        return self.tab("api/v1/report?fresh=true").json()

    def finish(self):
        """Ends the application; its Run."""
        self._end.touch()
        self._run.stdout, _ = self._process.communicate(timeout=processes.patient(120))
        self._run.status = self._process.returncode
        return self._run


@contextlib.contextmanager
def running(launcher, folder, conf=()):
    folder.mkdir(parents=True, exist_ok=True)
    told, end, log = folder / "address", folder / "end", folder / "stderr"
    launch = launcher.prepare("tab.py", told, end, conf={**UI, **dict(conf)})
    with log.open("w") as stderr:
        process = launch.start(stdout=subprocess.PIPE, stderr=stderr, text=True)

    def is_up():
        assert process.poll() is None, log.read_text()
        return told.exists()

    try:
        processes.until(is_up, 120, log.read_text)
        yield LiveApplication(told.read_text(), process, end, launch.run)
    finally:
        end.touch()
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(processes.patient(60))
        finally:
            processes.kill_session(process)
        launch.run.stderr = log.read_text()


def settled(application):
    """The report once every task's profile and the ends of its stages are in it, and the names of its native frames."""
    report = {}

    def is_whole():
        report.update(application.report())
        stages = report["stages"]
        profiled = [stage for stage in stages if stage["profiledTasks"] == stage["partitions"]]
        return len(profiled) == 3 and all(stage["status"] == "complete" and is_named(stage) for stage in stages)

    processes.until(is_whole, 30, lambda: f"all tasks' profiles and stages' ends: {report['stages']}")
    return report


def is_named(stage):
    """Symbols are looked up in the executor once a task is done: they come last."""
    frames = [frame for site in stage["sites"] for frame in site["frames"] if frame["language"] == "native"]
    return not frames or any(frame["function"] for frame in frames)
