"""`sparkmemprof report`: one report.json in any of its views."""

import contextlib
import json
import os
import shutil
import sys
import tempfile

from .errors import UserError
from .report_files import find_report

FORMATS = ("text", "html", "json")


def _read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}; reports belong to the user who ran the job") from error


def _render(content, path, form, to_terminal):
    from sparkmemprof import _store

    try:
        if form == "html":
            return _store.render_html(content)
        colour = to_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        width = shutil.get_terminal_size((100, 24)).columns if to_terminal else 100
        text = _store.render_text(content, width, colour, 0)
    except ValueError as error:
        raise UserError(f"{path}: {error}") from error
    return json.dumps(json.loads(content), indent=2, ensure_ascii=False) + "\n" if form == "json" else text


def _write(text, output):
    """Replaces the file as a whole; 0600, for a report may hold names from the user's code."""
    folder = os.path.dirname(os.path.abspath(output))
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=".sparkmemprof-", dir=folder)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, output)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
        raise UserError(f"cannot write {output}: {error.strerror}") from error


def _format_of(output):
    suffix = os.path.splitext(output or "")[1]
    return {".html": "html", ".htm": "html", ".json": "json"}.get(suffix, "text")


def show(path, form, output, application):
    """Prints or writes the view. Raises UserError."""
    report, known = find_report(path, application)
    form = form or _format_of(output)
    text = _render(_read(report), report, form, output is None and sys.stdout.isatty())
    if output is None:
        sys.stdout.write(text)
    else:
        _write(text, output)
    if known > 1 and application is None:
        print(
            f"sparkmemprof: the newest of {known} applications, {report.parent.name}; choose with --application",
            file=sys.stderr,
        )
