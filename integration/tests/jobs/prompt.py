"""Types at the prompt of a real Python, which is the driver. argv[1]: the terminal's name. RESULT: what it printed."""

import json
import os
import pty
import select
import signal
import sys
import time

PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))
STATEMENTS = (
    "def early(_):\n    return len(bytearray(3_900_031))  # early\n",
    "import sparkmemprof.driver",
    'from pyspark import SparkContext; sc = SparkContext(appName="prompt")',
    "def late(_):\n    return len(bytearray(3_800_029))  # late\n",
    "sc.parallelize(range(2), 2).map(early).sum()",
    "sc.parallelize(range(2), 2).map(late).sum()",
    'from reported import await_text; await_text(sc, "# early", "# late")  # the driver looks once a second',
    "sc.stop()",
)

pid, terminal = pty.fork()
if pid == 0:
    os.environ["TERM"] = sys.argv[1]
    folder = os.path.dirname(os.path.abspath(__file__))
    os.environ["PYTHONPATH"] = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
    os.execv(sys.executable, [sys.executable, "-i", "-q"])

printed, end = b"", time.monotonic() + 90 * PATIENCE


def read_until(text):
    """False: it has ended, or the time is over."""
    global printed
    while text not in printed:
        readable, _, _ = select.select([terminal], [], [], max(0, end - time.monotonic()))
        if not readable:
            return False
        try:
            printed += os.read(terminal, 4096)
        except OSError:
            return False
    return True


read_until(b">>> ")
for number, statement in enumerate(STATEMENTS):
    # What is typed in advance may be lost: the next one waits for what this one prints, which is not how it is typed.
    os.write(terminal, f'{statement}\nprint("done" + "-{number}")\n'.encode())
    if not read_until(f"done-{number}".encode()):
        break
os.write(terminal, b"\x04")
read_until(b"\0")  # its end
os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
print("RESULT " + json.dumps(printed.decode(errors="replace")), flush=True)
