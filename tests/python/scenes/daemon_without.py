"""pyspark's own daemon module, with a package that lacks something. Prints whether the daemon is still pyspark's.

With the argument "in workers" the package is whole, and what fails does so in the forked workers, of which there are 3.
"""

import importlib
import json
import os
import sys

from pyspark import daemon

in_workers = "in workers" in sys.argv
sys.argv = ["daemon", "pyspark.worker"]


def main():
    """What the daemon's worker() would call: as in Spark 3.5, or as in Spark 4."""
    if hasattr(daemon, "worker_main"):
        return daemon.worker_main
    return importlib.import_module(sys.argv[1]).main


plain = main()
if in_workers:
    from pyspark import worker

    def plain(*arguments):
        return 0

    worker.main = plain
    if hasattr(daemon, "worker_main"):
        daemon.worker_main = plain

from sparkmemprof.worker import profile_workers_of  # noqa: E402

profile_workers_of(daemon)
if in_workers:
    for _ in range(3):
        child = os.fork()
        if child == 0:
            result = main()(None, None)
            os._exit(result if main() is plain else 1)
        assert os.waitpid(child, 0)[1] == 0
print(json.dumps({"plain": main() is plain}))
