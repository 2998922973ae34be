"""`sparkmemprof diff`: two report.json compared."""

import sys

from .errors import UserError
from .report_files import find_report
from .show import read_report, terminal, write_out


def diff(before, after, form, output):
    """Prints or writes what changed. Raises UserError."""
    from sparkmemprof import _store

    form = form or ("json" if (output or "").endswith(".json") else "text")
    paths = [find_report(path) for path in (before, after)]
    contents = [read_report(path) for path, _ in paths]
    for (path, _), content in zip(paths, contents, strict=True):
        try:  # of two, which one can't be read
            _store.render_text(content, 100, False, 1)
        except ValueError as error:
            raise UserError(f"{path}: {error}") from error
    if form == "json":
        text = _store.render_comparison_json(*contents)
    else:
        text = _store.render_comparison(*contents, *terminal(output is None and sys.stdout.isatty()))
    write_out(text.encode(), output)
    for path, known in paths:
        if known > 1:
            print(f"sparkmemprof: the newest of {known} applications, {path.parent.name}", file=sys.stderr)
