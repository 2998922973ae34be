"""The driver's Python that watches the JVM which it has started (jvm_watch.py): how long it waits for its end.

The JVM is a stand-in, a Python process; with a real one, integration/tests/test_lost_jvm.py.
"""

import json
import sys

import processes
import pytest

# Prints the stand-in's exit code once the watch has answered. The listening socket takes connections, as the kernel
# does for a JVM that stands still.
PROGRAM = """
import json, pathlib, socket, subprocess, sys, threading, types
from sparkmemprof import jvm_watch

ending, lost, patience = json.loads(sys.argv[1])
jvm_watch.MOST_WAIT_SECONDS = 1
watch = jvm_watch.JvmWatch()
jvm = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read(); sys.exit(3)"], stdin=subprocess.PIPE)
listening = socket.create_server(("127.0.0.1", 0))
parameters = types.SimpleNamespace(address="127.0.0.1", port=listening.getsockname()[1])
gateway = types.SimpleNamespace(proc=jvm, gateway_parameters=parameters)
jvm_watch.gateway_of_program = lambda: gateway
if patience:
    pathlib.Path(watch._watch.folder, f"{jvm.pid}.patience").write_text(patience)
    listening.close()  # it answers no more
    if patience == "60":
        threading.Timer(2, jvm.stdin.close).start()
if ending:
    pathlib.Path(watch._watch.folder, f"{jvm.pid}.report.json").write_text("{}")
    threading.Timer(0.5, jvm.stdin.close).start()
assert watch.note(lost) == "", "no application is known to run there"
print(json.dumps(jvm.poll()))
jvm.stdin.close()
jvm.wait()
"""


def answer(package, *scene):
    environment = {"PYTHONPATH": str(package)}
    run = processes.run([sys.executable, "-c", PROGRAM, json.dumps(scene)], 120, env=environment)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@pytest.mark.parametrize("lost", [True, False])
@pytest.mark.parametrize(("ending", "code"), [(True, 3), (False, None)])
def test_a_jvm_that_ends_itself_is_waited_for(package, ending, lost, code):
    assert answer(package, ending, lost, "") == code


@pytest.mark.parametrize(("patience", "code"), [("60", 3), ("much", None)])
def test_on_a_busy_machine_it_is_waited_for_longer(package, patience, code):
    assert answer(package, False, True, patience) == code
