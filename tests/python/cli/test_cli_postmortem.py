"""`sparkmemprof post-mortem DIR`, and `import sparkmemprof.driver`: what a driver that was killed held, by line."""

import json
import os
import re
import signal
import subprocess
import sys

import processes
import pytest
from processes import patient

HELD_BYTES = 41_000_027
DRIVER = f"""\
import sparkmemprof.driver
import sys
held = bytearray({HELD_BYTES})  # held
print("up", flush=True)
sys.stdin.readline()
"""
HELD_LINE = 3


@pytest.fixture
def driver(package, tmp_path):
    """Starts a driver's Python that holds its bytes until a line comes; its boxes are below tmp_path/boxes."""
    (tmp_path / "job.py").write_text(DRIVER)
    started = []

    def start():
        environment = {
            **os.environ,
            "PYTHONPATH": str(package),
            "SPARKMEMPROF_BOX_DIR": str(tmp_path / "made" / "boxes"),
        }
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        process = processes.start([sys.executable, "job.py"], cwd=tmp_path, env=environment, text=True, **pipes)
        started.append(process)
        assert process.stdout.readline() == "up\n"
        return process

    yield start
    for process in started:
        processes.kill_session(process)
        process.communicate()


def held_in(text):
    """What was held at the block's line, once for each death; a small object of that line is sampled now and then."""
    return re.findall(rf"job\.py:{HELD_LINE} <module> held (39\.[123] MiB)", " ".join(text.split()))


def boxes(tmp_path):
    return [*(tmp_path / "made" / "boxes").rglob("*.box")]


def test_a_driver_that_was_killed(driver, cli, tmp_path):
    killed = driver()
    killed.send_signal(signal.SIGKILL)
    killed.wait(patient(30))
    finished = cli("post-mortem", tmp_path / "made" / "boxes")
    assert finished.returncode == 0, finished.stderr
    flat = " ".join(finished.stdout.split())
    assert f"The driver's Python process {killed.pid}" in flat
    assert len(held_in(finished.stdout)) == 1, flat
    assert finished.stderr == ""
    assert boxes(tmp_path), "nothing is removed"


def test_one_that_ends_in_order_leaves_nothing(driver, cli, tmp_path):
    process = driver()
    assert boxes(tmp_path)
    assert process.communicate("\n", timeout=patient(30)) == ("", "")
    assert process.returncode == 0
    assert boxes(tmp_path) == []
    finished = cli("post-mortem", tmp_path / "made" / "boxes")
    assert finished.returncode == 1
    assert "no dead process left a black box" in finished.stderr


def test_the_living_are_left_alone(driver, cli, tmp_path):
    driver()
    finished = cli("post-mortem", tmp_path / "made" / "boxes")
    assert (finished.returncode, finished.stdout) == (1, "")
    (box,) = boxes(tmp_path)
    assert f"left alone, its process is alive: {box}" in finished.stderr


def test_what_is_no_box_of_ours_is_refused_and_the_others_are_read(driver, cli, tmp_path):
    killed = driver()
    killed.kill()
    killed.wait(patient(30))
    (box,) = boxes(tmp_path)
    whole = box.read_bytes()
    damaged = {
        "cut": whole[: len(whole) // 3],
        "empty": b"",
        "foreign": b"\x00" * len(whole),
        "version": whole[:8] + b"\xff\xff" + whole[10:],
    }
    for name, content in damaged.items():
        path = box.with_name(f"memprof+{name}+1+1.box")
        path.write_bytes(content)
        path.chmod(0o600)
    steering = os.fsencode(box.parent) + b"/memprof+\xff\x1b[2J+1+1.box"
    with open(steering, "wb"):
        os.chmod(steering, 0o600)
    link = box.with_name("memprof+link+1+1.box")
    link.symlink_to("/etc/passwd")
    finished = cli("post-mortem", tmp_path / "made" / "boxes")
    assert finished.returncode == 0
    assert f"process {killed.pid}" in finished.stdout
    for name in [*damaged, "link"]:
        (line,) = [line for line in finished.stderr.splitlines() if f"memprof+{name}+1+1.box: " in line]
        assert line.startswith("sparkmemprof: refused: ")
        assert len(line.split(".box: ", 1)[1]) > 10, "a reason"
    assert "root" not in finished.stdout
    assert "\\x1b[2J" in finished.stderr
    assert "\x1b" not in finished.stderr


def test_a_directory_that_is_none(cli, tmp_path):
    finished = cli("post-mortem", tmp_path / "none")
    assert finished.returncode == 2
    assert "no such file or directory" in finished.stderr
    for setting in ("spark.memprof.box.dir", "spark.memprof.report.dir", "spark.eventLog.dir"):
        assert setting in finished.stderr


@pytest.fixture
def reports(tmp_path, sample_report):
    """Of an application with deaths, of one whose driver was killed with nobody dead before, of one that ended well."""
    died = json.loads(sample_report)
    assert died["postMortems"]
    well = died | {"postMortems": [], "otherDeaths": []}
    named = {"app-died": died, "app-killed": well | {"unfinished": True}, "app-well": well}
    for name, report in named.items():
        (tmp_path / "reports" / name).mkdir(parents=True)
        report["application"] = report["application"] | {"id": name}
        (tmp_path / "reports" / name / "report.json").write_text(json.dumps(report))
    return tmp_path / "reports"


def test_reports_and_checkpoints(cli, reports, sample_report):
    finished = cli("post-mortem", reports)
    assert finished.returncode == 0, finished.stderr
    flat = " ".join(finished.stdout.split())
    for death in json.loads(sample_report)["postMortems"]:
        assert death["headline"][:40] in flat
    (unseen,) = re.findall(r"\((app-\w+)\) Its end was not seen", flat)
    assert unseen == "app-killed"
    assert "app-well" not in flat
    assert "1 application ended without a death" in finished.stderr
    assert str(reports / "app-died" / "report.json") in finished.stdout

    one = cli("post-mortem", reports / "app-killed")
    assert one.returncode == 0
    assert "Its end was not seen" in one.stdout
    well = cli("post-mortem", reports / "app-well" / "report.json")
    assert (well.returncode, well.stdout) == (1, "")
    assert "1 application ended without a death" in well.stderr
    assert "its driver was not measured, so its own death would not show" in well.stderr


def test_of_a_driver_that_is_measured_nothing_is_said(cli, reports):
    report = json.loads((reports / "app-well" / "report.json").read_text())
    report["executors"][0]["id"] = "driver"
    (reports / "app-well" / "report.json").write_text(json.dumps(report))
    well = cli("post-mortem", reports / "app-well")
    assert (well.returncode, "not measured" in well.stderr) == (1, False)


def test_a_report_that_cannot_be_read_is_named_and_the_others_are_read(cli, reports):
    (reports / "app-killed" / "report.json").write_text("{")
    finished = cli("post-mortem", reports)
    assert finished.returncode == 0
    (line,) = [line for line in finished.stderr.splitlines() if "app-killed" in line]
    assert line.startswith("sparkmemprof: refused: ")
    assert "(app-died)" in finished.stdout


@pytest.mark.parametrize(
    ("name", "content"),
    [("report.json", "{"), ("report.json", "{}"), ("notes.txt", "a text"), ("app-9", '{"Event": "Other"}\n')],
)
def test_a_file_that_is_neither_report_nor_event_log(cli, tmp_path, name, content):
    """Not 1, which says that there is nothing to tell."""
    (tmp_path / name).write_text(content)
    finished = cli("post-mortem", name)
    assert (finished.returncode, finished.stdout) == (2, "")
    (line,) = finished.stderr.splitlines()
    assert line.startswith(f"error: {name}: ")


def test_one_bad_entry_hides_no_other(cli, reports):
    (reports / "loop").symlink_to("loop")
    (reports / "latest").symlink_to("app-died")
    (reports / "gone").symlink_to("nowhere")
    with open(os.fsencode(reports) + b"/app-\xff\x1b[2J", "wb") as log:  # looks like an event log
        log.write(b'{"Event": "SparkListenerLogStart"}\n')
    finished = cli("post-mortem", reports)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.count("(app-died)") == 1, "the link names one that is there"
    assert "(app-killed)" in finished.stdout
    (line,) = [line for line in finished.stderr.splitlines() if "refused" in line]
    assert "\\x1b[2J" in line


def test_a_report_and_its_event_log_are_told_once(cli, reports):
    whole = (reports / "app-died" / "report.json").read_bytes()
    named = reports / "application_17_0001"
    named.mkdir()
    (named / "report.json").write_bytes(whole)
    start = {"Event": "SparkListenerApplicationStart", "App Name": "job", "App ID": "application_17_0001"}
    (reports / "application_17_0001_1").write_text(json.dumps(start) + "\n")
    os.utime(reports / "application_17_0001_1", (1_700_000_000, 1_700_000_000))
    finished = cli("post-mortem", reports)
    assert finished.stdout.count("(app-died)") == 2
    assert "application_17_0001_1" not in finished.stderr, "it is not read at all"
    (named / "report.json").write_text("{")
    finished = cli("post-mortem", reports)
    assert "application_17_0001_1" in finished.stderr, "the event log stands in"


def test_each_attempt_of_yarns_has_its_own_deaths(cli, reports):
    whole = (reports / "app-died" / "report.json").read_bytes()
    for name in ("application_17_0001", "application_17_0001_2"):
        (reports / name).mkdir()
        (reports / name / "report.json").write_bytes(whole)
    assert cli("post-mortem", reports).stdout.count("(app-died)") == 3


def test_a_box_by_its_name(cli, tmp_path):
    box = tmp_path / "memprof+a+1+1.box"
    box.touch()
    finished = cli("post-mortem", box)
    assert finished.returncode == 2
    assert "give its directory" in finished.stderr


def test_event_logs(cli, tmp_path, sample_report):
    """The log of a driver that was killed has no last part."""
    report = json.loads(sample_report)
    rest = report | {"stages": [], "executors": [], "postMortems": [], "otherDeaths": []}
    start = {"Event": "SparkListenerApplicationStart", "App Name": "job", "App ID": "app-7", "Timestamp": 5}
    event = {"Event": "org.sparkmemprof.report.ReportPart", "schemaVersion": 1}
    parts = [
        event | {"part": "executor", "id": row["id"], "report": json.dumps(rest | {"executors": [row]})}
        for row in report["executors"]
    ]
    death = report["postMortems"][0]
    parts.append(event | {"part": "postMortem", "id": "0", "report": json.dumps(rest | {"postMortems": [death]})})
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "app-7.inprogress").write_text("".join(json.dumps(line) + "\n" for line in [start, *parts]))
    (logs / "app-8").write_text(json.dumps(start | {"App ID": "app-8"}) + "\n")
    for path in (logs, logs / "app-7.inprogress"):
        finished = cli("post-mortem", path)
        assert finished.returncode == 0, finished.stderr
        flat = " ".join(finished.stdout.split())
        assert "Its end was not seen" in flat
        assert death["headline"][:40] in flat
    assert "app-8" in cli("post-mortem", logs).stderr, "a log without a report says so"


def test_a_box_directory_of_somebody_else_is_not_used(package, tmp_path):
    (tmp_path / "job.py").write_text(DRIVER)
    (tmp_path / "boxes").symlink_to("/tmp")
    environment = {**os.environ, "PYTHONPATH": str(package), "SPARKMEMPROF_BOX_DIR": str(tmp_path / "boxes")}
    finished = processes.run([sys.executable, "job.py"], 60, input="\n", cwd=tmp_path, env=environment)
    assert (finished.returncode, finished.stdout) == (0, "up\n"), "the program is what it is without us"
    assert finished.stderr.startswith("sparkmemprof: the driver's Python is not profiled: ")
    assert len(finished.stderr.splitlines()) == 1


@pytest.mark.parametrize("squatted", ["link", "file", "open", "foreign"])
def test_where_the_usual_directory_is_somebody_elses_a_random_one_is_used_and_named(cli, package, tmp_path, squatted):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    usual = temporary / f"sparkmemprof-{os.getuid()}"
    if squatted == "link":
        usual.symlink_to(tmp_path)
    elif squatted == "file":
        usual.touch()
    else:
        usual.mkdir()
        usual.chmod(0o777)
    if squatted == "foreign" and os.getuid() == 0:  # nobody else can give a directory away
        usual.chmod(0o700)
        os.chown(usual, 65534, 65534)
    (tmp_path / "job.py").write_text(DRIVER.replace("sys.stdin.readline()", "import os; os.kill(os.getpid(), 9)"))
    environment = {**os.environ, "PYTHONPATH": str(package), "TMPDIR": str(temporary)}
    environment.pop("SPARKMEMPROF_BOX_DIR", None)
    warnings = []
    for _ in range(2):
        finished = processes.run([sys.executable, "job.py"], 60, cwd=tmp_path, env=environment)
        assert (finished.returncode, finished.stdout) == (-signal.SIGKILL, "up\n")
        warnings += finished.stderr.splitlines()
    (used,) = temporary.glob(f"{usual.name}-*")
    assert used.stat().st_mode & 0o777 == 0o700
    assert len(warnings) == 2, "one for each process"
    assert all(line.startswith(f"sparkmemprof: {usual} ") for line in warnings)
    assert all(line.endswith(f"; {used} is used instead") for line in warnings)
    shown = cli("post-mortem", used / "drivers")
    held = held_in(shown.stdout)
    assert len(held) == 2, shown.stdout + shown.stderr
