"""Pipes and devices at the command line's ends, readers that have gone, and Ctrl-C."""

import importlib
import os
import signal
import stat
import subprocess
import sys
import threading

import pytest
from processes import kill_session, patient, start

COMMAND = [sys.executable, "-m", "sparkmemprof.cli.main"]


@pytest.fixture
def report(tmp_path, sample_report):
    (tmp_path / "report.json").write_bytes(sample_report)
    return tmp_path / "report.json"


@pytest.fixture
def unread(package, bundle, tmp_path):
    """Runs the command line with one of its streams into a pipe that nobody reads: (exit status, the other stream)."""

    def run(stream, *words, env=()):
        reader, writer = os.pipe()
        os.close(reader)
        other = {"stdout": "stderr", "stderr": "stdout"}[stream]
        environment = {**os.environ, "PYTHONPATH": str(package), "SPARKMEMPROF_BUNDLE": str(bundle), **dict(env)}
        streams = {stream: writer, other: subprocess.PIPE}
        try:
            process = start([*COMMAND, *words], cwd=tmp_path, env=environment, text=True, **streams)
        finally:
            os.close(writer)
        try:
            said = process.communicate(timeout=patient(60))
        finally:
            kill_session(process)
        return process.returncode, said[other == "stderr"]

    return run


@pytest.mark.parametrize("form", ["text", "html"])
def test_whoever_has_seen_enough_is_no_error(unread, report, form):
    assert unread("stdout", "report", str(report), "--format", form) == (0, "")


@pytest.mark.parametrize("words", [["--help"], ["report", "--help"], ["--version"]])
def test_nor_is_it_for_help(unread, words):
    assert unread("stdout", *words) == (0, "")


@pytest.mark.parametrize("words", [["report"], ["nonsense"], ["run"], ["conf", "--master", "lokal"]])
def test_wrong_words_have_their_status_without_a_reader(unread, words):
    assert unread("stderr", *words) == (2, "")


def test_the_exit_status_of_what_was_run_needs_no_reader(unread, fake_spark):
    remote = ["--conf", "spark.memprof.report.dir=hdfs://there/reports"]
    status, _ = unread("stderr", "submit", *remote, "job.py", env={**fake_spark.env, "FAKE_STATUS": "5"})
    assert status == 5
    status, _ = unread("stderr", "run", "-c", "import sys; sys.exit(3)")
    assert status == 3
    status, _ = unread("stderr", "report", "nowhere")
    assert status == 2


@pytest.mark.parametrize(
    ("words", "status"), [(("run", "-c", "import sys; sys.exit(3)"), 3), (("report", "nowhere"), 2)]
)
def test_streams_that_were_closed_at_the_start(package, bundle, tmp_path, words, status):
    environment = {**os.environ, "PYTHONPATH": str(package), "SPARKMEMPROF_BUNDLE": str(bundle)}
    closed = ["sh", "-c", 'exec "$@" >&- 2>&-', "sh", *COMMAND, *words]
    process = start(closed, cwd=tmp_path, env=environment)
    try:
        assert process.wait(patient(60)) == status
    finally:
        kill_session(process)


def test_what_others_have_written_into_stdout_stays(package, bundle, report, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(package), "SPARKMEMPROF_BUNDLE": str(bundle)}
    with (tmp_path / "out").open("wb") as out:
        out.write(b"before\n")
        out.flush()
        process = start(
            [*COMMAND, "report", str(report), "-o", "/dev/stdout"], cwd=tmp_path, env=environment, stdout=out
        )
        try:
            assert process.wait(patient(60)) == 0
        finally:
            kill_session(process)
        os.write(out.fileno(), b"after\n")
    lines = (tmp_path / "out").read_bytes().splitlines()
    assert (lines[0], lines[-1]) == (b"before", b"after")
    assert len(lines) > 3


def test_a_pipe_is_written_to_and_stays_one(cli, report, tmp_path):
    pipe = tmp_path / "pipe.html"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    finished = cli("report", report, "-o", pipe)
    assert finished.returncode == 0, finished.stderr
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    reader.join(patient(30))
    assert read[0].startswith(b"<!doctype html>")


def test_the_file_that_a_link_names_is_replaced(cli, report, tmp_path):
    (tmp_path / "latest.csv").symlink_to("1.csv")
    assert cli("report", report, "-o", "latest.csv").returncode == 0
    assert (tmp_path / "latest.csv").is_symlink()
    assert (tmp_path / "1.csv").read_text().startswith("stageId,")


def test_a_report_that_comes_through_a_pipe(cli, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for words in (["report", "pipe"], ["diff", "pipe", "pipe"]):
        finished = cli(*words)
        assert finished.returncode == 2
        assert finished.stderr.startswith("error: neither a file nor a directory: pipe\n"), finished.stderr


def test_names_that_no_file_can_have(cli, report):
    finished = cli("report", "a" * 300)
    assert (finished.returncode, finished.stderr.splitlines()[0][-20:]) == (2, ": File name too long")
    finished = cli("report", report / "below")
    assert (finished.returncode, finished.stderr) == (2, f"error: no such file or directory: {report / 'below'}\n")


def test_ctrl_c_is_no_status_of_a_commands_own(package, tmp_path):
    """post-mortem has a meaning for 1, which click would end with."""
    os.mkfifo(tmp_path / "pipe")
    process = start(
        [*COMMAND, "post-mortem", "pipe"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(package)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        writer = os.open(tmp_path / "pipe", os.O_WRONLY)  # once the command reads it
        process.send_signal(signal.SIGINT)
        assert process.wait(patient(30)) == -signal.SIGINT
        os.close(writer)
    finally:
        kill_session(process)


def test_ctrl_c_leaves_no_part_of_a_file(package, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(package))
    show = importlib.import_module("sparkmemprof.cli.show")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(show.os, "replace", interrupted)
    (tmp_path / "out").write_text("before")
    with pytest.raises(KeyboardInterrupt):
        show.write_file(b"after", str(tmp_path / "out"))
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("out", "before")]
