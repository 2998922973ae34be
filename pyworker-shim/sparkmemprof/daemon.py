"""Entry of ``spark.python.daemon.module``: pyspark's own daemon, with workers that are profiled.

Only the entry: ``python -m`` runs this file as ``__main__``, and an import of it would run it a second time.
"""

if __name__ == "__main__":
    from pyspark import daemon

    try:
        from sparkmemprof.worker import profile_workers_of

        profile_workers_of(daemon)
    except Exception as error:
        import sys

        print(f"sparkmemprof: Python workers are not profiled: {error!r}", file=sys.stderr)
    daemon.manager()
