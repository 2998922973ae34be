"""The report of an application that runs, from its Spark UI."""

import urllib.error
import urllib.request

from .errors import UserError

_PATH = "/memory/api/v1/report"
_SECONDS = 30
_REASONS = {
    403: "you have no right to view this application (spark.ui.view.acls)",
    404: "no Memory tab: was the job started with the profiler? (sparkmemprof conf; spark.memprof.ui.enabled)",
    503: "too many readers at once: try again",
}


class Gone(UserError):
    """Nobody answers there (any more)."""


def is_address(text):
    return text.startswith(("http://", "https://"))


def fetch_report(ui):
    """(bytes of report.json, its address) of a Spark UI's address. Raises UserError; Gone where nobody answers."""
    address = ui.rstrip("/") + _PATH
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the driver is no stranger
    try:
        with opener.open(address, timeout=_SECONDS) as answer:
            return answer.read(), address
    except urllib.error.HTTPError as error:
        raise UserError(f"{address}: {_REASONS.get(error.code, f'HTTP status {error.code}')}") from error
    except ValueError as error:
        raise UserError(f"{ui} is no address: {error}") from error
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise Gone(f"{address}: {reason}; does the application still run?") from error
