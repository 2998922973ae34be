"""The driver's Python that watches the JVM which it has started (jvm_watch.py): how long it waits for its end.

The JVM is a stand-in, a Python process; with a real one, integration/tests/test_lost_jvm.py.
"""

import json
import subprocess
import sys

import pytest
from processes import patient

# Prints the stand-in's exit code once the watch has answered. The listening socket takes connections, as the kernel
# does for a JVM that stands still.
PROGRAM = """
import json, pathlib, socket, subprocess, sys, threading, types
from sparkmemprof import jvm_watch

ending, lost = json.loads(sys.argv[1])
watch = jvm_watch.JvmWatch()
jvm = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read(); sys.exit(3)"], stdin=subprocess.PIPE)
listening = socket.create_server(("127.0.0.1", 0))
parameters = types.SimpleNamespace(address="127.0.0.1", port=listening.getsockname()[1])
gateway = types.SimpleNamespace(proc=jvm, gateway_parameters=parameters)
jvm_watch.gateway_of_program = lambda: gateway
if ending:
    pathlib.Path(watch._watch.folder, f"{jvm.pid}.report.json").write_text("{}")
    threading.Timer(0.5, jvm.stdin.close).start()
assert watch.note(lost) == "", "no application is known to run there"
print(json.dumps(jvm.poll()))
if not ending:
    jvm.stdin.close()
jvm.wait()
"""


@pytest.mark.parametrize("lost", [True, False])
@pytest.mark.parametrize(("ending", "code"), [(True, 3), (False, None)])
def test_a_jvm_that_ends_itself_is_waited_for(package, ending, lost, code):
    arguments = [sys.executable, "-c", PROGRAM, json.dumps([ending, lost])]
    run = subprocess.run(
        arguments, env={"PYTHONPATH": str(package)}, check=False, capture_output=True, text=True, timeout=patient(120)
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == code, run.stderr
