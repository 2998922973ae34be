"""Actions of DataFrames under call_sites.py. Prints what Spark's own list of queries calls them, and more, as JSON."""

import json
import os
import signal
import sys
import threading
import time

from sparkmemprof import call_sites

call_sites.install()
from pyspark.sql import SparkSession  # noqa: E402

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
context = spark.sparkContext
context.setLogLevel("OFF")
numbers = spark.range(100)


def site():
    return context._jsc.getLocalProperty("callSite.short")


def write(frame):
    return frame.write.format("noop").mode("overwrite")


def slowly(seconds):
    return write(spark.range(1).selectExpr(f"java_method('java.lang.Thread', 'sleep', {seconds}000L)"))


left = []
numbers.count()  # counted
left.append(site())
try:
    write(numbers.selectExpr("raise_error('on purpose')")).save()  # refused
except Exception:
    left.append(site())
context._jsc.setCallSite("collect at /jobs/other.py:7")  # as two threads of PySpark's that collect at once leave it
write(numbers).save()  # after others
left.append(site())
context._jsc.setCallSite("the program's own words")
numbers.isEmpty()
left.append(site())
context._jsc.setCallSite(None)
numbers.repartition(2).rdd.getNumPartitions()  # an RDD of it
together = threading.Barrier(2)


def first():
    together.wait()
    slowly(1).save()  # in the first thread


def second():
    together.wait()
    slowly(1).save()  # in the second thread


def fresh():
    """Whose first call to the JVM is the action's."""
    many.count()  # in a fresh thread
    left.append([site(), context.getLocalProperty("spark.memprof.builtAt")])


many = numbers.selectExpr("id + 1")
new = threading.Thread(target=fresh)
new.start()
new.join()
lone = threading.Thread(target=numbers.count)
lone.start()
lone.join()
threads = [threading.Thread(target=each) for each in (first, second)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
left.append(site())
members = [spark._jvm.org.apache.spark.sql.functions.count, numbers._jdf.count, numbers._jdf.limit, numbers._jdf.schema]
left_of_plan = context.getLocalProperty("spark.memprof.builtAt")


def leave(*_):
    raise SystemExit


running = []


def interrupt():
    while not context.statusTracker().getActiveJobsIds():
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGTERM)
    while not left_at:
        time.sleep(0.01)
    running.append(len(context.statusTracker().getActiveJobsIds()))


left_at = []
queries = spark._jsparkSession.sharedState().statusStore().executionsList()
told = [queries.apply(index).description() for index in range(queries.size())]
jobs = context._jsc.sc().statusStore().jobsList(None)
of_jobs = [jobs.apply(index).name() for index in range(jobs.size())]
if sys.argv[1:] != ["not pinned"]:
    signal.signal(signal.SIGTERM, leave)
    watcher = threading.Thread(target=interrupt)
    watcher.start()
    try:
        slowly(60).save()
    except SystemExit:
        left_at.append(True)
    watcher.join()
result = {
    "told": told,
    "jobs": of_jobs,
    "left": left,
    "running": running,
    "left of plan": left_of_plan,
    "members": [type(each).__name__ for each in members],
}
print(json.dumps(result), flush=True)
os.kill(context._gateway.proc.pid, signal.SIGKILL)  # this thread's connection has an answer that nobody has read
os._exit(0)
