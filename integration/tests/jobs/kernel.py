"""Runs cells in a real ipykernel, which is the driver. argv[1]: where the HTML goes that the last cell shows.

RESULT: the text of each cell's error; None: it had none.
"""

import json
import os
import pathlib
import sys
import tempfile

from jupyter_client.manager import KernelManager

PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))

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

DURING = f"""\
def during(_):
    return len(bytearray(3_500_017))  # during
sc.parallelize(range(2), 2).map(during).sum()
import time
from sparkmemprof.cli.live import fetch_report
until = time.monotonic() + {60 * PATIENCE}
while b'"notebook cell 6"' not in (report := fetch_report(sc.uiWebUrl, fresh=True)[0]):
    assert time.monotonic() < until, report
    time.sleep(0.2)
"""

CAPTURED = """\
%%capture
def captured(_):
    return len(bytearray(3_600_011))  # captured
sc.parallelize(range(2), 2).map(captured).sum()
"""

RUN = """\
%run {script}
import os, sys, threading
sys.path.insert(0, {folder!r})
from read_scripts import wait_for_reading
from sparkmemprof import cells
told = threading.Event()
cells._cells.teller.tell(sc, lambda plugin: told.set())  # after the script
assert told.wait({seconds})
wait_for_reading(sc)
os.unlink({script!r})
sc.parallelize(range(2), 2).map(ran).sum()
"""
SCRIPT = """\
def ran(_):
    return len(bytearray(3_700_027))  # ran
class Odd:
    def __getattr__(self, name):
        raise RuntimeError(name)
odd = Odd()
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

script = os.path.join(tempfile.mkdtemp(), "script.py")  # a file in a worker's own folder has no path in its name
pathlib.Path(script).write_text(SCRIPT)
folder = os.path.dirname(os.path.abspath(__file__))
LOADED, USED = RUN.format(script=script, folder=folder, seconds=60 * PATIENCE).split("import os", 1)
CELLS = (BEFORE, PROFILED, BLOCK, BLOCK, KILLED, DURING, CAPTURED, LOADED, "import os" + USED, SHOWN, "sc.stop()")

# Ports would be chosen now and bound a second later, when another program may have them.
manager = KernelManager(kernel_name="python3", transport="ipc")
manager.start_kernel()
client = manager.client()
client.start_channels()
client.wait_for_ready(timeout=60 * PATIENCE)
errors = []
for cell in CELLS:
    shown = []

    def keep(message, shown=shown):
        if message["msg_type"] == "execute_result":
            shown.append(message["content"]["data"].get("text/html"))

    reply = client.execute_interactive(cell, output_hook=keep, store_history=True)["content"]
    errors.append("\n".join(reply["traceback"]) if reply["status"] == "error" else None)
    if cell is SHOWN and shown:
        pathlib.Path(sys.argv[1]).write_text(f'<!doctype html><meta charset="utf-8"><title>cell</title>{shown[-1]}')
client.stop_channels()
manager.shutdown_kernel()
print("RESULT " + json.dumps(errors), flush=True)
