"""The driver, profiled as an executor is: a JVM of its own with its Python process, against a budget of its own."""

import pytest
from conftest import AGENT_PATH, warnings_of

pytestmark = pytest.mark.one_line("4")

HEAP, BLOCKS = 17_000_011, 3
BROADCAST, PYTHON = 9_000_017, 77_000_023
DRIVER_MEMORY = 700 << 20


@pytest.fixture(scope="session")
def run(shared_run):
    conf = {
        "spark.driver.extraJavaOptions": AGENT_PATH,
        "spark.driver.memory": "700m",
    }
    return shared_run("driver.py", master="local-cluster[1,1,1024]", conf=conf.items()).demand_success()


@pytest.fixture(scope="session")
def driver(run):
    assert warnings_of(run) == []
    executors = {executor["id"]: executor for executor in run.report()["executors"]}
    assert set(executors) == {"driver", "0"}
    return executors["driver"]


def test_it_has_a_budget_of_its_own(run, driver):
    assert driver["agentLoaded"] == "agentpath"
    assert driver["requestedBytes"] == DRIVER_MEMORY
    assert driver["limitSource"] in ("host", "cgroup"), "in client mode there is no container"
    missing = [entry["what"] for entry in run.report()["notAvailable"]]
    assert {"a container of the driver", "lines of the driver's Python process"} <= set(missing)
    budgets = {region["name"]: region["budgetBytes"] for region in driver["regions"]}
    heap = sum(budgets[name] for name in ("heap.reserved", "heap.storage", "heap.execution", "heap.user"))
    assert heap == driver["heapMaxBytes"] <= DRIVER_MEMORY
    assert budgets["overhead"] == 0


def test_its_processes_and_its_life(driver):
    processes = {process["kind"]: process for process in driver["processes"]}
    assert set(processes) == {"jvm", "python-driver"}, "the executors' JVMs below it are not its own"
    assert processes["python-driver"]["peakRssBytes"] > PYTHON
    names = {row["name"] for row in processes["jvm"]["peakRows"]}
    assert names >= {"Java heap", "code cache", "thread stacks", "mapped files"}
    assert driver["atPeak"]["usedBytes"] > PYTHON + BLOCKS * HEAP
    life = {series["name"]: series["bytes"] for series in driver["timeline"]["series"]}
    assert len(driver["timeline"]["timesMs"]) >= 3
    assert max(filter(None, life["heap.usedAfterGc"])) > BLOCKS * HEAP
    assert driver["heapAfterGcPeak"]["bytes"] >= driver["heapAfterGc"]["bytes"] > BLOCKS * HEAP
    assert max(filter(None, life["python.other"])) > PYTHON


def test_what_its_heap_retains_and_stores(driver):
    (pool,) = driver["sparkMemory"]
    assert pool["storagePeakBytes"] > BROADCAST
    retained = driver["retained"]
    buffers = [
        site
        for site in retained["sites"]
        if any("HeapByteBuffer" in (frame["function"] or "") for frame in site["frames"])
    ]
    (largest, *_) = buffers
    assert 0.95 * BLOCKS * HEAP < largest["retainedBytes"] < 1.05 * BLOCKS * HEAP
    assert largest["thread"] == "Py4J", "the program's calls made them, no task"


def test_the_executor_is_told_apart(run):
    report = run.report()
    calls = report["counters"]["noTaskHeapBytes: Py4J"]
    assert calls > BLOCKS * HEAP
    assert report["counters"].get("noTaskHeapBytes: thread Thread-#", 0) < calls / 10
    (executor,) = [executor for executor in report["executors"] if executor["id"] == "0"]
    assert {process["kind"] for process in executor["processes"]} >= {"jvm", "python-daemon"}
    assert executor["requestedBytes"] == 1 << 30
    assert report["broadcasts"][0]["driverPeakBytes"] > BROADCAST
