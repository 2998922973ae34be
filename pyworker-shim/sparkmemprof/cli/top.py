"""`sparkmemprof top`: the report of a running application, refreshed as long as it runs."""

import contextlib
import shutil
import sys
import time

from .errors import UserError
from .live import Busy, Gone, fetch_report, is_address
from .show import render_terminal

_HOME, _REST_OF_LINE, _REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"


def _page(ui, is_terminal):
    content, address = fetch_report(ui)
    lines = shutil.get_terminal_size((100, 24)).lines - 1 if is_terminal else 0
    return render_terminal(content, address, is_terminal, lines)


def _draw(text):
    """Draws over the old text, so that nothing flickers."""
    sys.stdout.write(
        _HOME + text.rstrip("\n").replace("\n", f"{_REST_OF_LINE}\n") + _REST_OF_LINE + "\n" + _REST_OF_SCREEN
    )
    sys.stdout.flush()


def top(ui, seconds, once):
    """Draws until the application or the user ends it. Raises UserError where the report was never available."""
    if not is_address(ui):
        raise UserError(f"{ui} is no address of a Spark UI: give e.g. http://driver:4040")
    is_terminal = sys.stdout.isatty()
    text = _page(ui, is_terminal)
    if once or not is_terminal:
        sys.stdout.write(text)
        return
    try:
        while True:
            _draw(text)
            time.sleep(seconds)
            with contextlib.suppress(Busy):  # no answer now (a collection in the driver, too many readers): tries again
                text = _page(ui, is_terminal)
    except Gone:
        print("sparkmemprof: the application has ended; its driver's log says where the report is", file=sys.stderr)
    except KeyboardInterrupt:
        pass
