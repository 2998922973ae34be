"""Runs cells in a real ipykernel, which is the driver. argv[1]: where the HTML goes that the last cell shows.

RESULT: the text of each cell's error; None: it had none.
"""

import json
import pathlib
import sys

from jupyter_client.manager import start_new_kernel

BEFORE = """\
def first(_):
    return len(bytearray(3_100_003))  # first
from pyspark import SparkContext
sc = SparkContext(appName="cells")
sc.parallelize(range(2), 2).map(first).sum()
"""

PROFILED = "import sparkmemprof.driver"

BLOCK = """\
def block(_):

    return len(bytearray(3_300_013))  # block
sc.parallelize(range(2), 2).map(block).sum()
"""

DURING = """\
def during(_):
    return len(bytearray(3_500_017))  # during
sc.parallelize(range(2), 2).map(during).sum()
from sparkmemprof.cli.live import fetch_report
report, _ = fetch_report(sc.uiWebUrl, fresh=True)
assert b'"notebook cell 6"' in report, report
"""

CAPTURED = """\
%%capture
def captured(_):
    return len(bytearray(3_600_011))  # captured
sc.parallelize(range(2), 2).map(captured).sum()
"""

KILLED = """\
import os, signal
def dies(_):
    held = bytearray(b"x") * 90_000_049  # held
    os.kill(os.getpid(), signal.SIGKILL)
    return len(held)
sc.parallelize(range(1), 1).map(dies).sum()
"""

SHOWN = "import sparkmemprof; sparkmemprof.show()"

CELLS = (BEFORE, PROFILED, BLOCK, BLOCK, KILLED, DURING, CAPTURED, SHOWN, "sc.stop()")

manager, client = start_new_kernel(kernel_name="python3")
errors = []
for cell in CELLS:
    shown = []

    def keep(message, shown=shown):
        if message["msg_type"] == "execute_result":
            shown.append(message["content"]["data"].get("text/html"))

    reply = client.execute_interactive(cell, output_hook=keep, store_history=True)["content"]
    errors.append("\n".join(reply["traceback"]) if reply["status"] == "error" else None)
    if cell is SHOWN and shown:
        pathlib.Path(sys.argv[1]).write_text(f"<!doctype html><title>cell</title>{shown[-1]}")
client.stop_channels()
manager.shutdown_kernel()
print("RESULT " + json.dumps(errors), flush=True)
