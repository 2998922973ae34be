"""`sparkmemprof top`: a running application's report, drawn on a terminal until the application is gone."""

import http.server
import os
import pty
import re
import sys
import threading

import pytest
from processes import kill_session, patient, start


@pytest.fixture
def ui(sample_report):
    """A Spark UI that gives the sample three times, with another name each time, has no time once, and is gone then."""

    class Answer(http.server.BaseHTTPRequestHandler):
        asked = answers = 0

        def do_GET(self):
            type(self).asked += 1
            if self.asked == 2:
                self.send_error(503)
                return
            type(self).answers += 1
            self.send_response(200)
            self.end_headers()
            self.wfile.write(sample_report.replace(b"weighted average", f"answer {self.answers}".encode()))
            if self.answers == 3:
                server.socket.close()
                threading.Thread(target=server.shutdown).start()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"


def on_terminal(package, *words):
    """(what a terminal of 80 by 24 got, exit status)"""
    ours, theirs = pty.openpty()
    environment = {"PYTHONPATH": str(package), "TERM": "xterm", "COLUMNS": "80", "LINES": "24"}
    command = [sys.executable, "-m", "sparkmemprof.cli.main", *words]
    process = start(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    try:
        os.close(theirs)
        seen = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # how a pty says that nobody writes any more
                break
            if not part:
                break
            seen += part
        os.close(ours)
        return seen.decode(), process.wait(patient(30))
    finally:
        kill_session(process)


def test_it_is_drawn_again_until_the_application_ends(package, ui):
    seen, status = on_terminal(package, "top", ui, "--interval", "0.5")
    assert status == 0
    screens = seen.split("\x1b[H")[1:]
    names = [re.search(r"answer \d", screen)[0] for screen in screens]
    assert names == ["answer 1", "answer 1", "answer 2", "answer 3"], "there was no second answer at first"
    assert all(screen.count("\n") <= 24 for screen in screens[:2])
    assert "the application has ended" in screens[-1]


def test_once_into_a_pipe(cli, ui):
    finished = cli("top", ui)
    assert finished.returncode == 0
    assert "answer 1" in finished.stdout
    assert "averages.py:27  with_cpp" in finished.stdout
    assert "\x1b" not in finished.stdout


def test_what_is_not_there_is_told(cli):
    gone = cli("top", "http://127.0.0.1:9")
    assert (gone.returncode, gone.stdout) == (2, "")
    assert "does the application still run?" in gone.stderr
    assert "is no address of a Spark UI" in cli("top", "driver:4040").stderr
    assert "sparkmemprof top http://driver:4040" in cli("top", "--help").stdout
