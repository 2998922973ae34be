"""Dies in the way that the first argument names, with a task's session open; the second says whether with hooks."""

import ctypes
import faulthandler
import os
import resource
import signal
import sys
import threading

import stage

library = ctypes.CDLL(os.path.join(stage.NATIVE, "libcrash.so"))
library.crash_here.argtypes = [ctypes.c_void_p]


def segfault():
    library.crash_here(None)  # fault


def abort():
    library.abort_here()  # fault


def overflow():
    library.overflow_here(0)  # fault


def in_thread():
    thread = threading.Thread(target=segfault)
    thread.start()
    thread.join()


def sent_abort():
    os.kill(os.getpid(), signal.SIGABRT)  # fault


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def survives():
    """A handler of the user's own, put in place after ours."""
    signal.signal(signal.SIGABRT, lambda *_: None)
    os.kill(os.getpid(), signal.SIGABRT)


def is_ignored():
    os.kill(os.getpid(), signal.SIGABRT)


def in_child():
    pid = os.fork()
    if pid == 0:
        segfault()
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) + 100)


way, is_hooked = sys.argv[1], sys.argv[2] == "hooked"
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
if "faulthandler" not in sys.argv[3:]:
    faulthandler.disable()
if way == "is_ignored":
    signal.signal(signal.SIGABRT, signal.SIG_IGN)
if is_hooked:
    stage.start()
    stage.hooks.note_fatal_signals()
    stage.hooks.note_fatal_signals()  # a second time changes nothing
    stage.open_session(4711)
if "faulthandler late" in sys.argv[3:]:
    faulthandler.enable()
globals()[way]()
