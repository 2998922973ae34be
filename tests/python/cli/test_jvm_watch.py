"""The driver's Python that watches the JVM which it has started (jvm_watch.py): how long it waits for its end, and that
it puts what it held into the report.

The JVM is a stand-in, a Python process; with a real one, integration/tests/test_lost_jvm.py and test_driver_import.py.
"""

import json
import os
import sys

import processes
import pytest

# Prints the stand-in's exit code once the watch has answered. The listening socket takes connections, as the kernel
# does for a JVM that stands still.
PROGRAM = """
import json, pathlib, socket, subprocess, sys, threading, types
from sparkmemprof import jvm_end, jvm_watch

ending, lost, patience = json.loads(sys.argv[1])
jvm_end._MOST_WAIT_SECONDS = 1
watch = jvm_watch.JvmWatch()
jvm = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read(); sys.exit(3)"], stdin=subprocess.PIPE)
listening = socket.create_server(("127.0.0.1", 0))
parameters = types.SimpleNamespace(address="127.0.0.1", port=listening.getsockname()[1])
gateway = types.SimpleNamespace(proc=jvm, gateway_parameters=parameters)
jvm_end.gateway_of_program = jvm_watch.gateway_of_program = lambda: gateway
if patience:
    pathlib.Path(watch._watch.folder, f"{jvm.pid}.patience").write_text(patience)
    listening.close()  # it answers no more
    if patience == "60":
        threading.Timer(2, jvm.stdin.close).start()
if ending:
    pathlib.Path(watch._watch.folder, f"{jvm.pid}.report.json").write_text("{}")
    threading.Timer(0.5, jvm.stdin.close).start()
assert watch.note(lost) == "", "no application is known to run there"
print(json.dumps(jvm.poll()))
jvm.stdin.close()
jvm.wait()
"""


def answer(package, *scene):
    environment = {"PYTHONPATH": str(package)}
    run = processes.run([sys.executable, "-c", PROGRAM, json.dumps(scene)], 120, env=environment)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("lost", [True, False])
@pytest.mark.parametrize(("ending", "code"), [(True, 3), (False, None)])
def test_a_jvm_that_ends_itself_is_waited_for(package, ending, lost, code):
    assert answer(package, ending, lost, "") == code


@pytest.mark.parametrize(("patience", "code"), [("60", 3), ("much", None)])
def test_on_a_busy_machine_it_is_waited_for_longer(package, patience, code):
    assert answer(package, False, True, patience) == code


HELD = 41_000_027
# Tells of its applications as ReportPlace.java does; the last one ends when its stdin does, and whoever started it has
# ended or closed that. The order of its words: the folder of the reports, the mark of each application.
STANDS_IN = """
import json, os, pathlib, sys
reports, *marks = sys.argv[1:]
told = pathlib.Path(os.environ["SPARKMEMPROF_LAST_REPORT"])

def write(folder, unfinished):
    folder.mkdir(parents=True, exist_ok=True)
    application = {"id": folder.name, "name": "job"}
    report = {"schemaVersion": 1, "application": application, "unfinished": unfinished, "executors": [], "stages": []}
    (folder / "report.json").write_text(json.dumps(report))

def end(line, folder):
    write(folder, False)
    if not told.is_dir():  # whoever has asked for it has ended
        return
    with open(told / f"{os.getpid()}.ended-reports", "a") as file:
        file.write(line + chr(10))

for number, mark in enumerate(marks):
    folder = pathlib.Path(reports, f"app-{number}").absolute()
    line = f"{mark} {folder}"
    if number < len(marks) - 1:
        end(line, folder)
write(folder, True)
(told / f"{os.getpid()}.report-place").write_text(line)
print("up", flush=True)
word = sys.stdin.readline()
end(line, folder)
(told / f"{os.getpid()}.report-place").unlink(missing_ok=True)
if word:
    print("ended", flush=True)
sys.stdin.read()
"""
JOB = f"""
import sparkmemprof.driver
import subprocess, sys, types
from sparkmemprof import jvm_end, jvm_watch

held = bytearray({HELD})  # held
way, *marks = sys.argv[1:]
# -I: no Python of the program's own.
words = [sys.executable, "-I", "-c", {STANDS_IN!r}, "reports", *marks]
jvm = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
gateway = types.SimpleNamespace(proc=jvm)
jvm_end.gateway_of_program = jvm_watch.gateway_of_program = lambda: None if way == "of a child" else gateway
assert jvm.stdout.readline() == "up\\n"
if way != "left" and way != "failed":
    print(file=jvm.stdin, flush=True)
    assert jvm.stdout.readline() == "ended\\n"
if way == "failed":
    raise ValueError("of the program's own")
"""


@pytest.fixture
def joined(package, tmp_path):
    """Runs the program: the stages of the last application's report, and what the program wrote to stderr."""

    def run(way, *marks):
        (tmp_path / "job.py").write_text(JOB)
        (tmp_path / "tmp").mkdir()
        environment = {**os.environ, "PYTHONPATH": str(package), "TMPDIR": str(tmp_path / "tmp")}
        environment.pop("SPARKMEMPROF_BOX_DIR", None)
        finished = processes.run(
            [sys.executable, "job.py", way, *marks], 120, cwd=tmp_path, env=environment, stdin=None
        )
        assert finished.returncode == (way == "failed"), finished.stderr
        left = [path for path in (tmp_path / "tmp").rglob("*") if not path.is_dir()]
        assert left == [], "its boxes, and what the JVM has told"
        if way in ("left", "failed"):
            return None, finished.stderr
        report = json.loads((tmp_path / f"reports/app-{len(marks) - 1}/report.json").read_text())
        assert report["unfinished"] is False
        return report["stages"], finished.stderr

    return run


@pytest.mark.parametrize("way", ["left", "failed"])
def test_a_program_that_has_not_stopped_its_application_ends_as_ever(joined, way):
    _, said = joined(way, "shown")
    assert "sparkmemprof" not in said


def test_what_the_program_held_is_in_the_report(joined):
    stages, said = joined("stopped", "shown")
    (row,) = stages
    assert (row["stageId"], row["name"]) == (-1, "driver: job.py")
    (line,) = [line for line in row["lines"] if line["liveAtPeakBytes"] >= HELD]
    assert line["source"].strip().startswith("held = bytearray")
    assert line["liveAtPeakBytes"] < HELD + 300_000
    assert "sparkmemprof" not in said


def test_of_what_a_child_was_the_driver_it_was_not(joined):
    stages, _ = joined("of a child", "shown")
    assert stages == []


@pytest.mark.parametrize("marks", [("hidden",), ("shown", "shown"), ("hidden", "shown")])
def test_where_it_must_not_be_shown_or_is_of_several_it_is_in_none(joined, marks):
    stages, said = joined("stopped", *marks)
    assert stages == []
    assert said == ""
