"""Imported by every interpreter of test_cpython.py before its program: hooks on, a session open, in forks too."""

import atexit
import json
import os

from sparkmemprof import _hooks as hooks


def start():
    hooks.start(os.environ["SCENE_BOXES"], "app-cpython-test", "7", int(os.environ["SCENE_INTERVAL"]))
    hooks.open_session()
    hooks.set_task(1, 0, 0, 0, 0)


def tell():
    with open(f"{os.environ['SCENE_COUNTERS']}/counters-{os.getpid()}.json", "w", encoding="ascii") as file:
        json.dump(hooks.counters(), file)


os.environ["SCENE_HOOKED"] = str(os.getpid())
start()
os.register_at_fork(after_in_child=start)
atexit.register(tell)
