"""`sparkmemprof diff`: two report.json compared."""

import os
import sys

from .errors import UserError
from .report_files import application_of, find_report
from .show import read_report, terminal, write_out

FORMS = {".json": "json", ".html": "html", ".htm": "html"}  # by a file's ending; else text


def _unreadable(paths, contents):
    """The first of the reports that can't be read on its own."""
    from sparkmemprof import _store

    for (path, _), content in zip(paths, contents, strict=True):
        try:
            _store.render_text(content, 100, False, 1)
        except ValueError:
            return path
    return None


def diff(before, after, form, output):
    """Prints or writes what changed. Raises UserError."""
    from sparkmemprof import _store

    form = form or FORMS.get(os.path.splitext(output or "")[1], "text")
    paths = [find_report(path) for path in (before, after)]
    contents = [read_report(path) for path, _ in paths]
    try:
        if form == "json":
            text = _store.render_comparison_json(*contents)
        elif form == "html":
            text = _store.render_comparison_html(*contents)
        else:
            text = _store.render_comparison(*contents, *terminal(output is None and sys.stdout.isatty()))
    except ValueError as error:
        raise UserError(f"{_unreadable(paths, contents) or 'comparison'}: {error}") from error
    write_out(text.encode(), output)
    for path, known in paths:
        if known > 1:
            print(f"sparkmemprof: the newest of {known} applications, {application_of(path)}", file=sys.stderr)
