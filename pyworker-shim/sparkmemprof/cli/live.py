"""The report of a running application, from its Spark UI."""

import http.client
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
    """Nothing answers at the address (any more)."""


class Busy(UserError):
    """The server is there, but has no answer now."""


def is_address(text):
    return text.startswith(("http://", "https://"))


def fetch_report(ui, fresh=False):
    """(bytes of report.json, its address) of a Spark UI's address. Raises UserError, Gone or Busy among them.

    fresh: the driver makes a new report; otherwise a report that takes long to make may be some seconds old.
    """
    address = ui.rstrip("/") + _PATH
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy: the driver is reached directly
    try:
        with opener.open(address + ("?fresh=true" if fresh else ""), timeout=_SECONDS) as answer:
            return answer.read(), address
    except urllib.error.HTTPError as error:
        kind = Busy if error.code == 503 else UserError
        raise kind(f"{address}: {_REASONS.get(error.code, f'HTTP status {error.code}')}") from error
    except ValueError as error:
        raise UserError(f"{ui} is no address: {error}") from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, TimeoutError):
            raise Busy(f"{address}: no answer within {_SECONDS} seconds") from error
        raise Gone(f"{address}: {reason}; does the application still run?") from error
