"""Waits until the driver's JVM has read the scripts that it knows of. Nothing but the file system tells of it."""

import ctypes
import os
import select
import tempfile

IN_CLOSE_NOWRITE = 0x10  # inotify(7)
PATIENCE = float(os.environ.get("MEMPROF_TEST_PATIENCE", "1"))


def wait_for_reading(context, seconds=60):
    """It reads them one after the other: it has read them all when it has read a file of ours, which comes last."""
    if context.getConf().get("spark.memprof.source", "lines") != "lines":
        return  # then it reads none
    libc = ctypes.CDLL(None, use_errno=True)
    with tempfile.NamedTemporaryFile(suffix=".py") as last:
        watch = libc.inotify_init1(os.O_CLOEXEC)
        added = libc.inotify_add_watch(watch, last.name.encode(), IN_CLOSE_NOWRITE)
        assert added >= 0, f"inotify: {os.strerror(ctypes.get_errno())}"
        context._jsc.sc().listenerBus().waitUntilEmpty(int(1000 * seconds * PATIENCE))  # scripts that jobs have named
        context._jvm.org.sparkmemprof.MemoryProfilerPlugin.script(last.name)
        readable, _, _ = select.select([watch], [], [], seconds * PATIENCE)
        os.close(watch)
        assert readable, "the driver's JVM reads no scripts"
