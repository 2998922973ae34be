"""The Spark settings that put the profiler into a job."""

from . import bundle
from .errors import UserError
from .library_check import check_library

PLUGIN = "org.sparkmemprof.MemoryProfilerPlugin"
SHIPPED = "shipped"  # as --agentpath: this package's own library

# Settings that hold several values: ours joins the user's, with this between them.
SEPARATORS = {
    "spark.jars": ",",
    "spark.plugins": ",",
    "spark.yarn.dist.files": ",",
    "spark.driver.extraJavaOptions": " ",
    "spark.executor.extraJavaOptions": " ",
}

_MASTERS = ("local[", "local-cluster[", "spark://", "k8s://", "mesos://")  # the last one until Spark 3.5


def is_local(master):
    """Driver and executor are one JVM."""
    return master == "local" or master.startswith("local[")


def is_local_cluster(master):
    return master.startswith("local-cluster[")


def settings(master=None, agentpath=None):
    """(key, value) pairs for a job on `master` (None: not known).

    The jar alone is enough, and where it can't load its library it switches itself off. With -agentpath everything is
    seen from a JVM's first allocation, but a JVM that can't load the library doesn't start. So it is added by itself
    only where every JVM is on this machine, which the library is checked on (local, local-cluster), and elsewhere if
    `agentpath` asks for it: SHIPPED, or the library's path on the executors' machines. Raises UserError.
    """
    pairs = [("spark.jars", bundle.jar()), ("spark.plugins", PLUGIN)]
    if agentpath == SHIPPED:
        return pairs + _shipped(master)
    if agentpath is not None:
        library = bundle.safe_path(agentpath, "the library")
    elif master is not None and (is_local(master) or is_local_cluster(master)):
        library = bundle.library()
    else:
        return pairs
    check_library(library)
    jvm = "driver" if master is not None and is_local(master) else "executor"
    return [*pairs, (f"spark.{jvm}.extraJavaOptions", f"-agentpath:{library}")]


def _shipped(master):
    """YARN localises files into a container's working directory before its JVM starts there; no other master does."""
    if master != "yarn":
        raise UserError(
            f"--agentpath {SHIPPED} is for --master yarn alone: elsewhere executors get files when their JVMs run\n"
            "  leave it out, or give the path at which every executor's machine has libsparkmemprof.so"
        )
    library = bundle.library()
    check_library(library)
    return [
        ("spark.yarn.dist.files", f"file://{library}"),
        ("spark.executor.extraJavaOptions", "-agentpath:./libsparkmemprof.so"),
    ]


def driver_settings(master):
    """(key, value) pairs that profile the JVM of a driver which starts on this machine (client mode).

    No pairs in local mode, where `settings` has them, or if this machine can't load the library. Profiling the driver
    is an extra that the user did not request, so it is no error if it is missing.
    """
    if is_local(master):
        return []
    try:
        library = bundle.library()
        check_library(library)
    except UserError:
        return []
    return [("spark.driver.extraJavaOptions", f"-agentpath:{library}")]


def check_master(master):
    """UserError for a --master that no Spark accepts."""
    if master in ("yarn", "local") or master.startswith(_MASTERS):
        return master
    raise UserError(
        f"not a Spark master: {master!r}; one of local[N], local-cluster[N,cores,MiB], spark://HOST:PORT, yarn, k8s://URL,"
        " mesos://HOST:PORT (Spark 3.5)"
    )


def merged(key, users, ours):
    """The user's value of a setting with ours added; unchanged where ours is in it already."""
    if not users or not users.strip():
        return ours
    separator = SEPARATORS[key]
    if ours in [value.strip() for value in users.split(separator)]:
        return users
    if key.endswith("extraJavaOptions") and "libsparkmemprof.so" in users:
        return users  # the user's own -agentpath, perhaps with options on it
    return f"{users}{separator}{ours}"
