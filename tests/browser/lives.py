"""Time lines of executors, as docs/report.schema.json has them."""

MIB = 1 << 20
LIFE_BEGIN = 1_700_000_000_250


def life(limit, seconds, peak, held):
    """The time line of an executor whose Python worker fills up until second `peak`, when it holds `held` bytes."""
    names = ("used", "limit", "jvm", "python.workers", "python.other", "heap.usedAfterGc", "heap.storage", "offHeap")
    names += ("native", "python.native")
    series = {name: [] for name in (*names, "unattributed")}
    line = {
        "timesMs": [],
        "runningTasks": [],
        "taskStarts": [],
        "gcPauses": [],
        "gcStoppedMicros": [],
        "workers": [],
        "stages": [],
    }
    for second in range(seconds):
        running = 3 <= second <= peak
        jvm, other = (400 + min(second, 90)) * MIB, 48 * MIB
        worker = held * second // peak if running else 30 * MIB
        rest = 30 * MIB + 4096 * (second % 7)
        others = 7 * MIB if running else 0  # of workers without a name
        used = jvm + other + worker + others + rest
        values = (used, limit, jvm, worker + others, other, (150 + second * 37 % 230) * MIB, 40 * MIB, 19 * MIB)
        values += (3 * MIB, worker // 2 if running else None, rest)
        for name, value in zip(series, values, strict=True):
            series[name].append(value)
        line["timesMs"].append(LIFE_BEGIN + 1000 * second)
        line["runningTasks"].append(2 if running else 0)
        line["taskStarts"].append(2 if second == 3 else 0)
        line["gcPauses"].append(3 if second == peak else 0)
        line["gcStoppedMicros"].append(417_300 if second == peak else 0)
        line["workers"].append([[103, worker]])
        line["stages"].append([[2, 2]] if running else [])
    return {
        **line,
        "series": [{"name": name, "bytes": values} for name, values in series.items()],
        "pressurePercent": [12.07 if second == peak else 0 for second in range(seconds)],
        "thinnedSamples": 311,
    }
