"""sparkmemprof.show() and dump(): from a Spark UI's answers or from files, with reasons for what can't be had."""

import http.server
import json
import stat
import sys
import threading

import processes
import pytest


@pytest.fixture
def notebook(package, tmp_path):
    """Runs code with the package on its path; gives what it prints, or fails with what it raised."""

    def run(code):
        finished = processes.run(
            [sys.executable, "-c", f"import sparkmemprof\n{code}"],
            60,
            env={"PYTHONPATH": str(package), "http_proxy": "http://127.0.0.1:9"},
            cwd=tmp_path,
        )
        return finished.stdout + (finished.stderr.splitlines()[-1] if finished.returncode else "")

    return run


@pytest.fixture
def ui(sample_report):
    """A Spark UI's address; its Memory tab answers with the sample, other prefixes with the status that they name."""

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            status = 200 if self.path == "/proxy/memory/api/v1/report?fresh=true" else int(self.path.split("/")[1])
            self.send_response(status)
            self.end_headers()
            self.wfile.write(sample_report if status == 200 else b"no")

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_text_at_a_prompt(notebook, ui):
    text = notebook(f"print(sparkmemprof.show('{ui}/proxy'))")
    assert text.startswith("sparkmemprof · weighted average")
    assert "averages.py:27  with_cpp" in text


def test_a_document_of_its_own_in_a_cell(notebook, ui):
    page = notebook(f"print(sparkmemprof.show('{ui}/proxy/', height=612)._repr_html_())")
    assert page.startswith("<iframe ")
    assert 'sandbox="allow-scripts allow-popups"' in page
    assert "height: 612px" in page


def test_files_of_every_form(notebook, tmp_path, sample_report):
    (tmp_path / "reports" / "app-1").mkdir(parents=True)
    (tmp_path / "reports" / "app-1" / "report.json").write_bytes(sample_report)
    assert notebook("for name in ('a.html', 'b.json', 'c.txt', 'd.csv'): sparkmemprof.dump(name, 'reports')") == ""
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    assert json.loads((tmp_path / "b.json").read_text()) == json.loads(sample_report)
    assert "averages.py:27" in (tmp_path / "c.txt").read_text()
    assert (tmp_path / "d.csv").read_text().startswith("stage")
    assert stat.S_IMODE((tmp_path / "a.html").stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("'UI/403'", "no right to view"),
        ("'UI/404'", "was the job started with the profiler?"),
        ("'UI/503'", "too many readers"),
        ("'UI/500'", "HTTP status 500"),
        ("'http://127.0.0.1:9'", "does the application still run?"),
        ("", "no Spark application runs in this process"),
        ("'nowhere'", "no such file or directory: nowhere"),
    ],
)
def test_what_cannot_be_had_is_told(notebook, ui, source, told):
    text = notebook(f"sparkmemprof.show({source.replace('UI', ui)})")
    assert text.startswith("sparkmemprof.cli.")
    assert told in text


def test_what_is_no_report_is_told(notebook, tmp_path):
    (tmp_path / "report.json").write_text("[]")
    assert "UserError: report.json: " in notebook("sparkmemprof.show('report.json')")


def test_there_is_nothing_to_clear_without_an_application(notebook):
    assert "no Spark application runs in this process" in notebook("sparkmemprof.clear()")


def test_nothing_is_loaded_before_it_is_asked_for(notebook):
    names = notebook("import sys; print([name for name in sys.modules if name.startswith('sparkmemprof')])")
    assert names.strip() == "['sparkmemprof']"
    assert "has no attribute 'shout'" in notebook("sparkmemprof.shout")
