"""Reports that no short job makes, as docs/report.schema.json has them."""

import copy

from lives import MIB, life

HOSTILE = "<script>alert(1)</script>\"'&"
# Texts whose values the schema fixes; all others are a user's, Spark's or a library's.
FIXED = {"mode", "status", "statuses", "figure", "origin", "language", "kind", "process", "limitSource", "purpose"}
NAMES = (("regions", "name"), ("series", "name"))


def hostile(model):
    """The same report with every free text, names of threads among them, turned into markup."""

    def spoil(value, key=None, path=()):
        if isinstance(value, str):
            return value if key in FIXED or path[-2:] in NAMES else f"{HOSTILE}{value}"
        if isinstance(value, list):
            return [spoil(each, key, path) for each in value]
        if isinstance(value, dict):
            return {
                (name.replace(": ", f": {HOSTILE}") if path == ("counters",) else name): spoil(
                    each, name, (*path, name)
                )
                for name, each in value.items()
            }
        return value

    return spoil(model)


def frame(function, file, line, language="python", module=None):
    return {"language": language, "function": function, "file": file, "line": line, "module": module}


def figures(live, allocated, error=0):
    return {
        "tasks": 3,
        "allocatedBytes": allocated,
        "allocations": 5,
        "liveAtPeakBytes": live,
        "residentAtPeakBytes": live,
        "residentInPart": error != 0,
        "liveAtEndBytes": None if live is None else live // 3,
        "sampled": error != 0,
        "errorBytes": error,
    }


def udf(name):
    return {
        "udf": f"{name} (job.py:7)",
        "udfKind": "SCALAR_PANDAS_UDF",
        "udfName": name,
        "udfFile": "job.py",
        "udfLine": 7,
    }


def python_site(name, line, live, error=0, file="job.py"):
    frames = [frame(name, file, line), frame("default_malloc", None, None, "native", "/lib/_multiarray_umath.so")]
    return {
        "origin": "python",
        **udf(name),
        **figures(live, 2 * live + 1, error),
        "retainedBytes": None,
        "frames": frames,
    }


def heap_site(name, allocated):
    nobody = {"udf": None, "udfKind": None, "udfName": None, "udfFile": None, "udfLine": None}
    frames = [
        frame("org.apache.spark.executor.Executor$TaskRunner.run", "Executor.scala", 621, "java"),
        frame(f"org.apache.spark.odd.{name}.grow", f"{name}.scala", 40, "java"),
        frame("java.util.Arrays.copyOf", "Arrays.java", 3537, "java"),
    ]
    return {"origin": "jvm-heap", **nobody, **figures(None, allocated, 77_777), "retainedBytes": None, "frames": frames}


def sums(sites):
    found = []
    for origin in ("python", "jvm-heap"):
        rows = [site for site in sites if site["origin"] == origin]
        if rows:
            found.append(
                {
                    "origin": origin,
                    "sites": len(rows),
                    "allocatedBytes": sum(site["allocatedBytes"] for site in rows),
                    "allocations": sum(site["allocations"] for site in rows),
                    "liveAtPeakBytes": sum(site["liveAtPeakBytes"] or 0 for site in rows)
                    if origin == "python"
                    else None,
                }
            )
    return found


def group(sites):
    lines = []
    for index, site in enumerate(sites):
        if site["origin"] == "python":
            top = site["frames"][0]
            own = {key: site[key] for key in (*udf(""), *figures(0, 0))}
            place = {"function": top["function"], "file": top["file"], "line": top["line"]}
            place["source"] = None if "notebook" in top["file"] else f"{top['function']}_block = allocate({index})"
            lines.append({**own, **place, "sites": [index]})
    lines.sort(key=lambda line: -line["liveAtPeakBytes"])
    return {"sites": sites, "lines": lines, "remainders": [], "totals": sums(sites)}


def task_rows(tasks, others=(), first=0):
    """Of as many counted tasks, the first of which is the heaviest by far, and of attempts with these statuses."""
    held = [400_000_009 if number == 0 else 30_000_001 - 1009 * number for number in range(tasks)]
    count = tasks + len(others)
    return {
        "known": count,
        "taskAttemptIds": [first + number for number in range(count)],
        "partitions": [number % max(1, tasks) for number in range(count)],
        "attempts": [0] * tasks + [1] * len(others),
        "statuses": ["counted"] * tasks + list(others),
        "executors": [str(1 + number % 3) for number in range(count)],
        "launchedMs": [1_700_000_000_000 + number for number in range(count)],
        "durationMs": [5_000 + 7 * number for number in range(count)],
        "gcMs": [number % 90 for number in range(count)],
        "pythonLiveAtPeakBytes": held + [55_000_003] * len(others),
        "pythonAllocatedBytes": [3 * each for each in held] + [None] * len(others),
        "heapAllocatedBytes": [90_000_001 + 331 * number for number in range(count)],
        "offHeapLiveAtPeakBytes": [None] * count,
        "peakExecutionBytes": [0] * count,
        "spilledMemoryBytes": [0] * count,
    }


def distribution(figure, values):
    values = sorted(values)
    ranks = [values[min(len(values) * quarter // 4, len(values) - 1)] for quarter in range(5)]
    names = ("least", "lowerQuartile", "median", "upperQuartile", "largest")
    skew = round(ranks[4] / ranks[2], 2)
    return {"figure": figure, "tasks": len(values), **dict(zip(names, ranks, strict=True)), "skew": skew}


def stage(number, sites, status="complete", **more):
    nothing = {
        "tasks": 0,
        "failed": 0,
        "killed": 0,
        "lost": 0,
        "superseded": 0,
        "unknown": 0,
        "errors": [],
        **group([]),
    }
    return {
        "stageId": number,
        "attempt": 0,
        "name": f"collect at job.py:{number}",
        "callSite": f"job.py:{number}",
        "status": status,
        "failureReason": None,
        "submittedMs": 1_700_000_000_000 + number * 1000,
        "completedMs": 1_700_000_000_500 + number * 1000,
        "partitions": 3,
        "tasks": 3,
        "profiledTasks": 3,
        "partialTasks": 0,
        "gcPercent": 7.25,
        **group(sites),
        "otherAttempts": nothing,
        **more,
    }


def off_heap_site(function, size, **made_by):
    frame = {"language": "java", "function": function, "file": "Made.java", "line": 7, "module": None}
    made = {"stageId": None, "thread": None, **made_by}
    return {"origin": "jvm-offheap", "bytes": size, "blocks": 3, "errorBytes": 0, **made, "frames": [frame], "lead": 0}


def native_site(function, size, **made_by):
    site = off_heap_site(function, size, **made_by)
    frame = {**site["frames"][0], "language": "native", "file": "table.rs", "module": "/opt/libengine.so"}
    return {**site, "origin": "jvm-native", "frames": [frame]}


def executor(name, used, limit, processes=2, enforced=True):
    each = used // processes
    kinds = ["jvm", *["python-worker"] * (processes - 1)]
    return {
        "id": str(name),
        "host": f"node-{name}.example",
        "cores": 2,
        "limitBytes": limit,
        "limitSource": "cgroup" if enforced else "spark",
        "limitShared": False,
        "limitEnforced": enforced,
        "limitUnseen": False,
        "requestedBytes": limit,
        "hostMemoryBytes": 64 << 30,
        "hostIsGroup": False,
        "heapMaxBytes": limit // 2,
        "heapAfterGc": {
            "bytes": each // 3,
            "collection": "G1 Young Generation",
            "timeMs": 1_700_000_000_900,
            "wholeHeap": False,
        },
        "heapAfterGcPeak": {
            "bytes": each // 2,
            "collection": "G1 Old Generation",
            "timeMs": 1_700_000_000_700,
            "wholeHeap": True,
        },
        "directPeakBytes": 3 * MIB,
        "gc": [
            {
                "collector": "G1 Young Generation",
                "stopsTheWorld": True,
                "collections": 113,
                "totalMs": 4_009,
                "percent": 10.02,
                "longestMs": 257,
                "causes": [{"cause": "G1 Evacuation Pause", "collections": 113}],
            }
        ],
        "unrollPeakBytes": 5 * MIB,
        "gcStoppedMs": 4_217,
        "gcPercent": 12.54,
        "regions": [
            {"name": "heap.reserved", "budgetBytes": 300 * MIB, "peakBytes": None},
            {"name": "heap.storage", "budgetBytes": 100 * MIB, "peakBytes": 7 * MIB},
            {"name": "heap.execution", "budgetBytes": 100 * MIB, "peakBytes": 130 * MIB},
            {"name": "heap.user", "budgetBytes": 200 * MIB, "peakBytes": None},
            {"name": "overhead", "budgetBytes": 384 * MIB, "peakBytes": used - each},
            {"name": "offHeap", "budgetBytes": 0, "peakBytes": None},
            {"name": "pyspark", "budgetBytes": 0, "peakBytes": None},
        ],
        "processes": [
            {
                "pid": 100 + index,
                "kind": kind,
                "peakRssBytes": each,
                "peakRows": [
                    {"name": "Python objects", "bytes": each // 3},
                    {"name": "native: numpy", "bytes": each // 2},
                ],
                "unattributedBytes": each - each // 3 - each // 2,
                "lastTaskAttemptId": None,
                "peakRowsRssBytes": each - 4096,
                "alive": True,
                "baseline": {
                    "startRssBytes": 21_000_003,
                    "firstTaskRssBytes": 51_000_007,
                    "modules": [{"name": "oddlib", "liveBytes": 9_000_001, "withImportsBytes": 12_000_017}],
                },
            }
            for index, kind in enumerate(kinds)
        ],
        "atPeak": {
            "timeMs": 1_700_000_001_000,
            "usedBytes": used,
            "regions": [{"name": "heap.usedAfterGc", "bytes": each // 2}],
            "processes": [
                {"pid": 100 + index, "kind": kind, "bytes": each, "rows": [], "unattributedBytes": each}
                for index, kind in enumerate(kinds)
            ],
            "activeTasks": [5],
            "sites": None,
            "unattributedBytes": used - each * processes,
        },
        "addedMs": 1_700_000_000_100,
        "removedMs": None,
        "removedReason": None,
        "offHeapOfNoTask": {
            "timeMs": 1_700_000_000_800,
            "totalBytes": 33_000_131,
            "sites": [
                off_heap_site("org.apache.spark.storage.MemoryStore.putBytes", 21_000_017, stageId=2),
                off_heap_site("io.netty.buffer.PoolArena.newChunk", 12_000_101, thread="block transfer"),
            ],
            "otherBytes": 13,
        },
        "nativeOfNoTask": {
            "timeMs": 1_700_000_000_900,
            "totalBytes": 44_000_040,
            "sites": [native_site("grow", 44_000_023, thread="native thread tokio-runtime-w")],
            "otherBytes": 17,
        },
        "javaVersion": "17.0.15",
        "agentLoaded": "jar",
    }


def action(job, stages, sent, tasks, partitions, **more):
    """Job `job` collected `sent` bytes at job.py:50."""
    results = {
        "stageId": stages[-1],
        "jobId": job,
        "purpose": "result",
        "tasks": tasks,
        "partitions": partitions,
        "resultBytes": sent,
        "largestResultBytes": sent // max(1, tasks),
    }
    return {
        "jobs": [job],
        "stages": stages,
        "queryId": None,
        "callSite": "collect at /jobs/job.py:50",
        "function": "collect",
        "file": "/jobs/job.py",
        "line": 50,
        "builtAt": [],
        "description": None,
        "status": "complete",
        "failureReason": None,
        "startedMs": 1_700_000_001_000 + job,
        "endedMs": 1_700_000_012_000,
        "resultTasks": tasks,
        "resultRows": tasks * 1_009 if tasks else None,
        "resultBytes": sent,
        "broadcastBytes": 0,
        "broadcastRows": None,
        "results": [results],
        **more,
    }


def driver():
    refused = (
        "Total size of serialized results of 3 tasks (2.2 MiB) is bigger than spark.driver.maxResultSize (2.0 MiB)"
    )
    built_at = [{"file": "/jobs/orders.py", "line": 3}, {"file": "/jobs/job.py", "line": 41}]
    counted = action(2, [5, 6], 0, 0, 4, queryId=1, file=None, line=None, function=None)
    return {
        "maxResultBytes": 2_097_152,
        "actions": [
            action(0, [2], 1_555_567, 2, 5, status="failed", failureReason=refused),
            action(1, [2, 3], 777_781, 1, 1, description="orders of a day", builtAt=built_at),
            counted | {"callSite": "count at NativeMethodAccessorImpl.java:0", "status": "running", "endedMs": None},
        ],
        "otherActions": {"actions": 11, "resultTasks": 40, "resultBytes": 5_000_011, "broadcastBytes": 0},
    }


def report(executors=(), stages=(), **more):
    return {
        "schemaVersion": 1,
        "unfinished": False,
        "application": {
            "id": "app-odd-1",
            "name": "odd job",
            "sparkVersion": "4.1.0",
            "pythonVersion": "3.11.9",
            "master": "k8s://odd",
            "startedMs": 1_700_000_000_000,
            "endedMs": 1_700_000_090_000,
        },
        "sampling": {"jvmIntervalBytes": 524_288, "pythonIntervalBytes": 65_536},
        "executors": list(executors),
        "stages": list(stages),
        "otherExecutors": None,
        "otherStages": None,
        "leaks": [],
        "postMortems": [],
        "counters": {"droppedSites": 0, "droppedTasks": 0},
        "notAvailable": [{"what": "executors.atPeak.sites", "why": "sites are measured at the peak of their task"}],
        **more,
    }


def cached(number, name, size, deserialized):
    return {
        "rddId": number,
        "name": name,
        "callSite": "persist at job.py:7",
        "storageLevel": "MEMORY_ONLY" if deserialized else "MEMORY_ONLY_SER",
        "deserialized": deserialized,
        "serializer": None if deserialized else "org.apache.spark.serializer.KryoSerializer",
        "mode": "onHeap",
        "partitions": 2,
        "blocks": 2,
        "memoryBytes": size,
        "diskBytes": 0,
        "peakBlocks": 2,
        "peakMemoryBytes": size,
        "peakDiskBytes": 0,
        "executors": [{"id": "1", "memoryBytes": size, "diskBytes": 0}],
    }


def full_heap():
    """A JVM's heap when it had no room, of 17 classes and two more."""
    classes = [{"name": f"org.acme.Book{i}[]", "bytes": 50_000_003 - i, "objects": 1000 + i} for i in range(17)]
    return {
        "timeMs": 1_700_000_049_000,
        "error": "Java heap space",
        "thread": "main",
        "errors": 1,
        "totalBytes": sum(each["bytes"] for each in classes) + 5_000_011,
        "totalObjects": 17_136,
        "cutShort": False,
        "classes": classes,
        "otherClasses": 2,
        "otherBytes": 5_000_011,
        "regions": [{"name": "heap.max", "bytes": 1 << 30}, {"name": "heap.storage", "bytes": 11 << 20}],
    }


def everything():
    """One of each that a report can have."""
    first = stage(
        2,
        [
            python_site("features", 17, 700_000_033),
            python_site("lookup", 23, 5_111_809, error=1_150_001),
            python_site("typed", 3, 2_300_009, file="notebook cell 456"),
            python_site("shipped", 3, 2_400_011, file="helpers.zip/helpers/mod.py"),
            heap_site("OddWriter", 268_435_459),
        ],
    )
    first["otherAttempts"] |= {
        "tasks": 1,
        "failed": 1,
        "errors": [{"message": "Python worker exited unexpectedly", "tasks": 1}],
        **group([python_site("features", 17, 123_456_791)]),
    }
    first["remainders"] = [
        {"origin": "jvm-heap", "sites": 31, "allocatedBytes": 7_340_033, "allocations": 400, "liveAtPeakBytes": None}
    ]
    first |= {"arrowPoolPeakBytes": 53_477_376, "arrowPoolEndBytes": 1_310_720, "arrowPoolGrowthBytes": 4096}
    clean = python_site("clean", 40, 33_000_003)
    rows = task_rows(17, ["killed"], first=40)
    live = distribution("pythonLiveAtPeakBytes", rows["pythonLiveAtPeakBytes"][:17])
    share = {key: clean[key] for key in (*udf(""), *figures(0, 0))}
    fifth = stage(5, [clean], tasks=17, taskRows=rows, distributions=[live], udfs=[share])
    fifth["otherAttempts"] |= {"tasks": 1, "killed": 1}
    lost = stage(3, [], status="failed", failureReason="Job aborted due to stage failure", tasks=0, profiledTasks=0)
    dead = executor(3, 2_576_980_377, 2_684_354_560, processes=4) | {
        "timeline": life(2_684_354_560, 50, 43, 1_999_999_991),
        "removedMs": 1_700_000_050_000,
        "removedReason": "OOMKilled",
    }
    death = {
        "executorId": "3",
        "process": "container",
        "pid": None,
        "exitCode": 137,
        "how": "the kernel counted one kill in the container's cgroup",
        "headline": "Executor 3 died: Python workers needed 2.3 GiB, the container had 1.1 GiB beside the heap",
        "reason": "Container killed",
        "outOfMemory": True,
        "timeMs": 1_700_000_050_000,
        "limitBytes": 2_684_354_560,
        "usedBytes": 2_576_980_377,
        "lastSampleAgeMs": 210,
        "processes": dead["atPeak"]["processes"],
        "regions": [
            {"name": "heap", "budgetBytes": 1_073_741_824, "bytes": 412_345_679},
            {"name": "heap.user", "budgetBytes": 303_000_001, "bytes": None},
            {"name": "overhead", "budgetBytes": 402_653_184, "bytes": 1_932_735_283},
            {"name": "pyspark", "budgetBytes": 0, "bytes": None},
        ],
        "stageId": 2,
        "taskAttemptId": 41,
        "sites": [{**python_site("features", 17, 700_000_033), "residentLaterBytes": 2_097_152, "residentAgeMs": 2345}],
        "survived": False,
        "heap": full_heap(),
        "advice": [
            {
                "conf": "spark.executor.memoryOverhead",
                "from": "384m",
                "to": "2300m",
                "because": "Python workers together held 1.8 GiB + JVM native 200 MiB + 10 %",
            },
            {
                "conf": None,
                "from": None,
                "to": None,
                "because": "the task held 5.1 times the median: divide the partition",
            },
        ],
    }
    refusal = {
        "executorId": "driver",
        "process": "jvm",
        "pid": None,
        "exitCode": None,
        "how": "Spark adds up the serialised results",
        "headline": "The driver refused the results of collect at /jobs/job.py:50 (job 0)",
        "outOfMemory": True,
        "timeMs": 1_700_000_012_000,
        "limitBytes": 2_097_152,
        "usedBytes": 2_306_867,
        "lastSampleAgeMs": None,
        "stageId": 2,
        "taskAttemptId": None,
        "jobId": 0,
        "action": "collect at /jobs/job.py:50",
        "survived": True,
        "sites": [],
        "advice": [{"conf": "spark.driver.maxResultSize", "from": "2m", "to": "5m", "because": "5 tasks"}],
    }
    leak = {
        **udf("remember"),
        "function": "remember",
        "file": "job.py",
        "line": 31,
        "workers": 2,
        "liveBytes": 24_000_017,
        "largest": {
            "executorId": "1",
            "pid": 101,
            "tasks": 12,
            "tasksWithBytes": 12,
            "perTaskBytes": 1_000_003,
            "perTaskLowBytes": 990_001,
            "perTaskHighBytes": 1_010_007,
            "liveBytes": 12_000_011,
        },
    }
    rest = {"stages": 7, "tasks": 70, "otherAttempts": 0, "totals": sums([python_site("light", 1, 1000)])}
    return report(
        [executor(1, 1_900_000_003, 2_684_354_560), dead, executor(7, 900_000_001, 2_684_354_560, enforced=False)],
        [
            first,
            lost,
            fifth,
            stage(6, [python_site("last", 41, 44_000_017)]),
        ],
        otherExecutors={"executors": 4, "largestUsedBytes": 123_456_789},
        otherStages=rest,
        leaks=[leak],
        postMortems=[death, refusal],
        otherDeaths=[
            {
                "key": f"{number}",
                "timeMs": 1_700_000_041_000 - 1000 * number,
                "executorId": str(number),
                "outOfMemory": number % 2 == 0,
                "headline": f"Executor {number} was killed for its memory: 99 % of the limit was in use",
            }
            for number in range(20, 137)
        ],
        driver=driver(),
        cachedData=[cached(11, "orders", 9_000_043, False), cached(12, "clicks", 1_000_003, True)],
        broadcasts=[
            {
                "id": 7,
                "bytes": 3_000_017,
                "peakMemoryBytes": 9_000_051,
                "peakDiskBytes": 0,
                "memoryBytes": 0,
                "driverPeakBytes": 3_000_017,
            },
            {"id": 8, "bytes": 17, "peakMemoryBytes": 17, "peakDiskBytes": 0, "memoryBytes": 0, "driverPeakBytes": 0},
        ],
        counters={
            "droppedSites": 3,
            "droppedTasks": 0,
            "noTaskHeapBytes: odd-thread": 5_243_001,
            "noTaskOffHeapBytes: even-thread": 7,
            "noTaskNativeBytes: deep-thread": 11,
            "noTaskPythonBytes: lingers": 13,
        },
    )


def large():
    """2,000 stages, 500 executors, 20,000 sites, and rows of 30,000 of 98,000 tasks."""

    def sites(number):
        found = [python_site(f"work_{number}_{each}", each + 1, 1_000_003 * (each + 1) + number) for each in range(7)]
        return found + [heap_site(f"Sink{number}x{each}", 9_000_001 * (each + 1)) for each in range(3)]

    executors = [
        executor(number, 1_000_000_007 + number * 3_000_017, 2_684_354_560)
        | {"timeline": life(2_684_354_560, 48, 40, 900_000_007 + number * 1009)}
        for number in range(500)
    ]
    stages = [stage(number, sites(number), taskRows=task_rows(5, first=20_000 + 5 * number)) for number in range(2000)]
    stages[1234] |= {"tasks": 88_000, "taskRows": {**task_rows(20_000), "known": 88_000}}
    return report(executors, stages)


def nothing(unfinished):
    return copy.deepcopy(
        report(unfinished=unfinished, sampling={"jvmIntervalBytes": None, "pythonIntervalBytes": None})
    )
