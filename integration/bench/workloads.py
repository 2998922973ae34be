"""The programs that are measured. Each `make_…` sets up and returns a function that runs one unit, 0.1 to 0.4 s."""

from __future__ import annotations

import sys
import threading
from typing import Callable

Unit = Callable[[], object]


def make_pandas() -> Unit:
    """groupby, rolling windows, strings, sort and merge."""
    import numpy as np
    import pandas as pd

    random = np.random.default_rng(1)
    rows = 400_000
    frame = pd.DataFrame(
        {
            "key": random.integers(0, 1000, rows),
            "value": random.random(rows),
            "text": random.integers(0, 5000, rows).astype(str),
        }
    )
    keys = frame.head(1000)

    def unit() -> object:
        grouped = frame.groupby("key").value.agg(["mean", "sum", "std"])
        rolling = frame.value.rolling(50).mean()
        strings = frame.text.str.upper().str.len()
        merged = frame.sort_values("value").merge(keys, on="key")
        return len(grouped) + len(rolling) + len(strings) + len(merged)

    return unit


def make_numpy() -> Unit:
    """Arrays of 8 KB to 8 MB: expressions with temporaries, sorting, a matrix product."""
    import numpy as np

    random = np.random.default_rng(1)
    large = random.random(1_000_000)
    small = [random.random(1000) for _ in range(64)]
    matrix = random.random((300, 300))

    def unit() -> object:
        total = 0.0
        for _ in range(3):
            total += float(np.sqrt(large * 2 + 1).sum())
            total += float(np.sort(large[:200_000])[1000])
        for _ in range(40):
            for row in small:
                total += float(np.exp(-row * row).sum())
        return total + float((matrix @ matrix).sum())

    return unit


class Order:
    def __init__(self, number: int) -> None:
        self.number = number
        self.name = f"order-{number}"
        self.lines = [(number, number % 7), (number + 1, number % 5)]


def make_objects() -> Unit:
    """Pure Python of many small objects: instances, dicts, lists, tuples, strings; grouped, sorted, joined."""

    def unit() -> object:
        orders = [Order(number) for number in range(60_000)]
        by_key: dict[int, list[Order]] = {}
        for order in orders:
            by_key.setdefault(order.number % 997, []).append(order)
        orders.sort(key=lambda order: order.name)
        rows = [{"id": order.number, "name": order.name, "total": sum(n for _, n in order.lines)} for order in orders]
        return len(by_key) + sum(row["total"] for row in rows) + len(",".join(row["name"] for row in rows))

    return unit


def make_arrow() -> Unit:
    """Filters, a group-by, a sort and the way to pandas, in Arrow's own pool."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    random = np.random.default_rng(1)
    table = pa.table({"key": random.integers(0, 1000, 1_000_000), "value": random.random(1_000_000)})

    def unit() -> object:
        rows = 0
        for _ in range(5):
            some = table.filter(pc.greater(table["value"], 0.3))
            rows += some.group_by("key").aggregate([("value", "sum")]).num_rows
            rows += len(some.to_pandas())
        return rows + len(pc.sort_indices(table, sort_keys=[("value", "ascending")]))

    return unit


def make_tiny_arrays() -> Unit:
    """200,000 numpy arrays of 80 bytes."""
    import numpy as np

    def unit() -> object:
        kept = []
        for i in range(200_000):
            array = np.zeros(10) + 1
            if i % 10 == 0:
                kept.append(array)
        return len(kept)

    return unit


def make_native() -> Unit:
    """A C library that allocates for itself: compressing and expanding with zlib, lzma and bz2."""
    import bz2
    import lzma
    import zlib

    data = b"".join(b"%d,%d;" % (i, i * i % 977) for i in range(12_000))

    def unit() -> object:
        sizes = 0
        for _ in range(4):
            sizes += len(zlib.decompress(zlib.compress(data, 6)))
            sizes += len(bz2.decompress(bz2.compress(data, 1)))
        return sizes + len(lzma.compress(data[:60_000], preset=1))

    return unit


def make_recursion() -> Unit:
    """A function 450 calls deep that allocates at each of them."""

    def deep(level: int) -> list[int]:
        return [level] + (deep(level - 1) if level else [])

    def unit() -> object:
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 2000))
        return sum(len(deep(450)) for _ in range(500))

    return unit


def make_threads() -> Unit:
    """Four threads that make arrays and lists."""
    import numpy as np

    def work() -> None:
        for _ in range(2500):
            array = np.arange(2000) * 2.0
            list(array[:200])

    def unit() -> object:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return len(threads)

    return unit


WORKLOADS: dict[str, Callable[[], Unit]] = {
    "pandas": make_pandas,
    "numpy": make_numpy,
    "arrow": make_arrow,
    "objects": make_objects,
    "tiny-arrays": make_tiny_arrays,
    "native": make_native,
    "recursion": make_recursion,
    "threads": make_threads,
}

# The upper end of the default's interval must be below this; none is set for the others.
BOUNDS = {"pandas": 1.02, "numpy": 1.02, "arrow": 1.02, "objects": 1.03, "tiny-arrays": 1.03}
