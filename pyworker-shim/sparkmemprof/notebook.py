"""The report where the job is written: in a notebook's cell, or at Python's prompt.

    sparkmemprof.show()                  of the application that runs in this process
    sparkmemprof.show("reports")         of one that has ended: report directory, application's folder, report.json
    sparkmemprof.dump("report.html")     the same as a file, in the form that its ending says
    sparkmemprof.clear()                 from here on both show what begins after this moment

A shown report doesn't change; call again for a newer one. Nothing here runs in executors.
"""

import html
import os
import time

from .application import report_since, running_context, running_report
from .cli.live import fetch_report, is_address
from .cli.report_files import find_report
from .cli.show import format_of, read_report, render, write_out
from .typed_code import follow

_cleared_ms = 0  # since the epoch


class Shown:
    """A report, as a notebook and a prompt show it."""

    def __init__(self, content, where, height):
        self._content = content  # report.json, bytes
        self._where = where
        self._height = height

    def _repr_html_(self):
        # A separate document, which can't reach the notebook. Its links are fragments: they lead to its own pages only
        # because its base is its own address. (A data: address of more than 2 MiB stays empty in Chromium.)
        page = render(self._content, self._where, "html").decode()
        page = page.replace("<head>", '<head><base href="about:srcdoc">', 1)
        return (
            '<iframe title="sparkmemprof" sandbox="allow-scripts allow-popups" '
            f'style="width: 100%; height: {self._height}px; border: 0" '
            f'srcdoc="{html.escape(page)}"></iframe>'
        )

    def __repr__(self):
        return render(self._content, self._where, "text").decode().rstrip()


def show(source=None, *, height=800):
    """The report as a notebook's cell shows it, when it is the cell's last expression; at a prompt, its text.

    source: None for the application that runs in this process; or the address of a Spark UI ("http://driver:4040"), or
    a report directory, an application's folder in it, or a report.json. height: pixels.

    Raises UserError, which says what to do.
    """
    content, where = _read(source)
    render(content, where, "json")  # raises if it can't be read
    return Shown(content, where, int(height))


def dump(path, source=None):
    """Writes the report to a file (0600) in the form that its ending says, as `sparkmemprof report -o` does.

    source: as for show(). Raises UserError, which says what to do.
    """
    content, where = _read(source)
    write_out(render(content, where, format_of(os.fspath(path))), os.fspath(path))


def clear():
    """Resets show() and dump(): they leave out what began in this process's application before this moment.

    That is its stages, actions and deaths; what its executors held at their peak stays. Nothing is lost: the Memory
    tab, the event log and the report at the application's end have all of it.

    Raises UserError, which says what to do, where no application runs.
    """
    global _cleared_ms
    running_context()
    _cleared_ms = int(1000 * time.time())


def _read(source):
    """(bytes of report.json, the name of their origin)."""
    if source is None:
        follow()  # what cells are called may be news to the application
        content = running_report()
        return (report_since(content, _cleared_ms) if _cleared_ms else content), "the running application"
    text = os.fspath(source)
    if is_address(text):
        return fetch_report(text, fresh=True)
    path, _ = find_report(text)
    return read_report(path), path
