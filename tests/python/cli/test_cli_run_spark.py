"""`sparkmemprof run` of a program that starts Spark: which application's report it joins. A script stands in for the
JVM, and says what ReportPlace.java says; real JVMs are in integration/tests/test_driver_program.py."""

import json
import os
import signal
import subprocess
import sys

import processes
import pytest
from processes import patient

# Its first words: what it says, each written as the file's ending and the line. Then PySpark's.
SPARK_SUBMIT = """#!{python}
import os, pathlib, signal, sys, time
for word in sys.argv[1 : sys.argv.index("--")]:
    kind, _, line = word.partition("=")
    place = pathlib.Path(os.environ["SPARKMEMPROF_LAST_REPORT"], f"{{os.getpid()}}.{{kind}}")
    place.open("a").write(line + "\\n")
pathlib.Path("told").touch()
if "hangs" in sys.argv:
    time.sleep(600)
if "killed" in sys.argv:
    os.kill(os.getpid(), signal.SIGKILL)
"""
PROGRAM = """\
import os, subprocess, sys, time, types

kept = bytearray(3_300_007)
jvm = subprocess.Popen(["./spark-submit", *sys.argv[2:], "--", "pyspark-shell"])
if "hangs" not in sys.argv:
    nobody = types.SimpleNamespace(address="127.0.0.1", port=1)
    gateway = types.SimpleNamespace(proc=jvm, gateway_parameters=nobody)
    sys.modules["pyspark"] = types.SimpleNamespace(SparkContext=types.SimpleNamespace(_gateway=gateway))
while not os.path.exists("told"):
    time.sleep(0.01)
if not {"hangs", "killed"} & set(sys.argv):
    jvm.wait()
print("SPARKMEMPROF_LAST_REPORT" in os.environ)
exec(sys.argv[1])
"""


@pytest.fixture
def scene(tmp_path, sample_report):
    """Makes the report of an application in a folder of the scene's, and the stand-in."""
    script = tmp_path / "spark-submit"
    script.write_text(SPARK_SUBMIT.format(python=sys.executable))
    script.chmod(0o755)
    (tmp_path / "program.py").write_text(PROGRAM)

    def make(*names, unfinished=False):
        for name in names:
            (tmp_path / name).mkdir()
            text = json.dumps({**json.loads(sample_report), "unfinished": unfinished})
            (tmp_path / name / "report.json").write_text(text)
        return tmp_path

    return make


def own_rows(path):
    """What the program held, in the report of its application."""
    report = json.loads((path / "report.json").read_text())
    return [stage for stage in report["stages"] if stage["stageId"] == -1]


def own_reports(folder):
    return [json.loads(path.read_text()) for path in (folder / "sparkmemprof-report").glob("program-*/report.json")]


def test_the_only_application_has_it_all(cli, scene):
    folder = scene("app-1")
    finished = cli("run", "program.py", "sys.exit(3)", f"ended-reports=shown {folder}/app-1", cwd=folder)
    assert finished.returncode == 3
    assert finished.stdout == "False\n", "the program's own environment is as it was"
    (row,) = own_rows(folder / "app-1")
    assert (row["name"], row["status"], row["failureReason"]) == ("driver: program.py", "failed", "exit status 3")
    # A small object at the third line of another file is sampled once in a while.
    (line,) = [line for line in row["lines"] if line["line"] == 3 and (line["file"] or "").endswith("program.py")]
    assert 0 <= line["liveAtPeakBytes"] - 3_300_008 < 300_000
    assert not (folder / "sparkmemprof-report").exists()
    assert f"sparkmemprof: report in {folder}/app-1\n" in finished.stderr


TOLD = {
    "two": ["ended-reports=shown {}/app-1", "ended-reports=shown {}/app-2"],
    "one must not show it": ["ended-reports=hidden {}/app-1"],
    "another must not show it": ["ended-reports=hidden {}/app-2", "ended-reports=shown {}/app-1"],
    "another is elsewhere": ["ended-reports=shown hdfs://there/app-2", "ended-reports=shown {}/app-1"],
    "another has no report": ["ended-reports=shown ", "ended-reports=shown {}/app-1"],
    "the JVM died in the next": ["ended-reports=shown {}/app-1", "report-place=shown {}/app-2"],
    "the JVM died": ["report-place=shown {}/app-1"],
    "another is not profiled": ["ended-reports=shown {}/app-1", "ended-reports=absent "],
    "unreadable": ["ended-reports=shown {}/app-1", "ended-reports=of another version"],
}


@pytest.mark.parametrize("told", TOLD)
def test_a_program_has_a_report_of_its_own(cli, scene, told):
    folder = scene("app-1", "app-2")
    before = [(folder / name / "report.json").read_bytes() for name in ("app-1", "app-2")]
    finished = cli("run", "program.py", "", *[word.format(folder) for word in TOLD[told]], cwd=folder)
    assert finished.returncode == 0, finished.stderr
    assert [(folder / name / "report.json").read_bytes() for name in ("app-1", "app-2")] == before
    (report,) = own_reports(folder)
    assert report["stages"][0]["name"] == "program.py"
    named = [line for line in finished.stderr.splitlines() if "Spark application of the program" in line]
    assert len(named) == len(TOLD[told])
    hides = any("hidden" in word for word in TOLD[told])
    assert ("kept = bytearray" in finished.stderr) is not hides, "the text report has source lines"
    if told == "the JVM died":
        (line,) = named
        assert line.endswith(f" has died; what is known is in {folder}/app-1")


# Nobody but the program can ask how its JVM ended: it does so at its own end.
@pytest.mark.parametrize(
    ("told", "own_row"),
    [
        (["report-place=shown {}/app-1"], True),
        (["report-place=hidden {}/app-1"], False),
        (["ended-reports=shown {}/app-2", "report-place=shown {}/app-1"], False),
    ],
)
def test_a_jvm_that_was_killed_has_a_post_mortem(cli, scene, told, own_row):
    folder = scene("app-1", "app-2")
    before = {
        name: json.loads((folder / name / "report.json").read_text())["postMortems"] for name in ("app-1", "app-2")
    }
    words = ["patience=60", *(word.format(folder) for word in told), "killed"]
    finished = cli("run", "program.py", "sys.exit(3)", *words, cwd=folder)
    assert finished.returncode == 3, finished.stderr
    report = json.loads((folder / "app-1" / "report.json").read_text())
    *others, death = report["postMortems"]
    assert len(others) == len(before["app-1"])
    assert (death["executorId"], death["process"], death["exitCode"]) == ("driver", "jvm", 137)
    assert death["headline"] in finished.stderr
    assert report["unfinished"] is True
    assert len(own_rows(folder / "app-1")) == own_row
    assert len(own_reports(folder)) == (not own_row)
    other = json.loads((folder / "app-2" / "report.json").read_text())
    assert len(other["postMortems"]) == len(before["app-2"])


NOTES = "import sparkmemprof.failures as ours; print(*(ours._note_of_end(True) for _ in range(2)), sep='\\n')"


def test_what_a_call_to_a_jvm_that_was_killed_lacks(cli, scene):
    """What a failed call of Py4J's is given; with Py4J and a JVM, in integration/tests/test_driver_program.py."""
    folder = scene("app-1")
    finished = cli(
        "run", "program.py", NOTES, "patience=60", f"report-place=shown {folder}/app-1", "killed", cwd=folder
    )
    death = json.loads((folder / "app-1" / "report.json").read_text())["postMortems"][-1]
    place = f"Its post-mortem, when this program has ended: {folder}/app-1"
    assert finished.stdout.splitlines() == ["False", *[f"sparkmemprof: {death['headline']}", place] * 2], (
        finished.stderr
    )


@pytest.mark.parametrize("told", [["report-place=shown {}/app-1"], ["ended-reports=shown {}/app-1", "killed"]])
def test_what_lacks_nothing_if_nobody_has_killed_the_applications_jvm(cli, scene, told):
    folder = scene("app-1")
    finished = cli("run", "program.py", NOTES, *[word.format(folder) for word in told], cwd=folder)
    assert finished.stdout == "False\n\n\n", finished.stderr


def test_a_killed_jvm_without_a_local_report_has_its_post_mortem_beside_the_program(cli, scene):
    folder = scene()
    place = "hdfs://there/app-1"
    finished = cli("run", "program.py", "", "patience=60", f"report-place=shown {place}", "killed", cwd=folder)
    assert finished.stderr.count(f"has died; what is known is in {place}") == 1
    (report,) = own_reports(folder)
    (death,) = report["postMortems"]
    assert (death["process"], death["exitCode"]) == ("jvm", 137)
    assert [stage["stageId"] for stage in report["stages"]] == [-1], finished.stderr


def test_a_jvm_that_ended_itself_was_not_killed(cli, scene):
    folder = scene("app-1")
    before = (folder / "app-1" / "report.json").read_bytes()
    finished = cli("run", "program.py", "", f"report-place=shown {folder}/app-1", cwd=folder)
    assert (folder / "app-1" / "report.json").read_bytes() == before
    assert "post-mortem of the driver" not in finished.stderr
    assert len(own_reports(folder)) == 1


def test_a_report_without_an_end_is_left_alone(cli, scene):
    folder = scene("app-1", unfinished=True)
    finished = cli("run", "program.py", "", f"ended-reports=shown {folder}/app-1", cwd=folder)
    assert own_rows(folder / "app-1") == []
    assert len(own_reports(folder)) == 1
    assert f"report of a Spark application of the program: {folder}/app-1/report.html" in finished.stderr


def test_a_report_that_cannot_be_replaced(cli, scene):
    folder = scene("app-1")
    (folder / "app-1" / "report.html").mkdir()
    before = (folder / "app-1" / "report.json").read_bytes()
    finished = cli("run", "program.py", "", f"ended-reports=shown {folder}/app-1", cwd=folder)
    assert (folder / "app-1" / "report.json").read_bytes() == before
    assert len(own_reports(folder)) == 1
    assert "what the program held is not in the report of its Spark application: cannot write" in finished.stderr


def test_an_exit_status_like_a_kills_is_no_death(cli, scene):
    folder = scene("app-1")
    told = json.loads((folder / "app-1" / "report.json").read_text())["postMortems"]
    finished = cli("run", "program.py", "os._exit(137)", f"ended-reports=shown {folder}/app-1", cwd=folder)
    assert finished.returncode == 137
    (row,) = own_rows(folder / "app-1")
    assert row["failureReason"] == "exit status 137"
    assert json.loads((folder / "app-1" / "report.json").read_text())["postMortems"] == told


def test_a_child_that_submits_or_drives_an_application_is_not_the_program(cli, scene):
    folder = scene("app-1")
    (folder / "program.py").write_text(
        "import os, subprocess, sys\n"
        "told = 'import os; print(\"SPARKMEMPROF_LAST_REPORT\" in os.environ)'\n"
        "open('other', 'w').write(f'#!{sys.executable}\\n{told}\\n')\n"
        "os.remove('spark-submit'); os.rename('other', 'spark-submit'); os.chmod('spark-submit', 0o755)\n"
        'start = \'import subprocess; subprocess.run(["./spark-submit", "%s"], check=True)\'\n'
        "subprocess.run([sys.executable, '-c', start % 'pyspark-shell'], check=True)\n"
        "subprocess.run(['./spark-submit', 'job.py'], check=True)\n"
        "child = os.fork()\n"
        "if child == 0:\n    exec(start % 'pyspark-shell'); os._exit(0)\n"
        "os.waitpid(child, 0)\n"
        "exec(start % 'pyspark-shell')\n"
    )
    finished = cli("run", "program.py", cwd=folder)
    assert finished.stdout.splitlines() == [*["False"] * 3, "True"], finished.stderr


@pytest.fixture
def waiting(package, scene):
    """A run whose program has ended and whose application has not. (process, folder)"""
    folder = scene("app-1")
    command = [sys.executable, "-m", "sparkmemprof.cli.main", "run", "program.py", ""]
    with (folder / "said").open("w") as said:  # no pipe: the stand-in would keep it open
        process = processes.start(
            [*command, f"report-place=shown {folder}/app-1", "hangs"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(package), "TMPDIR": str(folder)},
            stdout=subprocess.DEVNULL,
            stderr=said,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background job ignores it
        )
    try:
        processes.until(lambda: process.poll() is not None or "waiting for its" in said_in(folder), 60, "it waits")
        assert process.poll() is None, said_in(folder)
        yield process, folder
    finally:
        processes.kill_session(process)


def said_in(folder):
    return (folder / "said").read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_wait_for_the_jvm(waiting, number):
    process, folder = waiting
    process.send_signal(number)
    assert process.wait(patient(30)) == 0
    assert f"still runs; what is known is in {folder}/app-1\n" in said_in(folder)
    assert "report in " in said_in(folder)
    assert len(own_reports(folder)) == 1
    assert own_rows(folder / "app-1") == []
    assert not list(folder.glob("sparkmemprof-program-*")), "its boxes are gone"


def test_a_run_that_is_killed_while_it_waits_has_written_the_programs_report(waiting):
    process, folder = waiting
    process.kill()
    process.wait(patient(30))
    (report,) = own_reports(folder)
    assert report["stages"][0]["name"] == "program.py"
