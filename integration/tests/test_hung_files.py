"""A file system that doesn't answer: the application and its executors end nevertheless.

It is one in user space (bindfs), whose process is stopped.
"""

import os
import pathlib
import shutil
import signal
import subprocess

import processes
import pytest
from conftest import LOCAL_CLUSTER, ours

pytestmark = [pytest.mark.full, pytest.mark.one_line("4")]  # 40 s: Spark waits for executors, and we for files


@pytest.fixture
def served(tmp_path):
    """A directory, and the process that serves it."""
    if shutil.which("bindfs") is None or not pathlib.Path("/dev/fuse").exists():
        pytest.skip("no bindfs, or no /dev/fuse")
    behind, place = tmp_path / "behind", tmp_path / "served"
    behind.mkdir()
    place.mkdir()
    server = processes.start(["bindfs", "-f", behind, place], stderr=subprocess.PIPE, text=True)
    try:
        processes.until(lambda: place.is_mount() or server.poll() is not None, 20, "bindfs serves a directory")
        if server.poll() is not None:
            pytest.skip(f"no bindfs can be mounted here: {server.stderr.read().strip()}")
        yield place, server
    finally:
        server.send_signal(signal.SIGCONT)
        subprocess.run(["umount", "--lazy", place], check=False)
        processes.stop(server)


def is_stopped(process):
    return pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


# What our warnings say.
MOMENTS = {
    "before": "no private directory for black boxes: the file system did not answer",
    "between": "some tasks' figures are missing: the file system of the black boxes does not answer",
    "end": "the removal of files is off: the file system did not answer",
}


@pytest.mark.parametrize("when", MOMENTS)
def test_a_box_directory_that_does_not_answer(spark_run, served, when):
    place, server = served
    connection = os.minor(place.stat().st_dev)
    conf = {"spark.memprof.box.dir": place}
    run = spark_run("hung_files.py", server.pid, connection, when, master=LOCAL_CLUSTER, conf=conf)
    run.demand_success()
    assert is_stopped(server), "the test's own condition"
    result = run.result()
    assert result["sum"] == sum(number * number for number in range(40))
    assert result["count"] == 500
    assert result["jvms"]
    gone = processes.until(
        lambda: not [pid for pid in result["jvms"] if os.path.exists(f"/proc/{pid}/exe")], 20, "executors end"
    )
    assert gone
    told = [line for log in (run.stderr, *run.executor_logs().values()) for line in ours(log)]
    assert any(MOMENTS[when] in line for line in told), told
    report = run.report()
    assert report["postMortems"] == []
    assert [stage["tasks"] for stage in report["stages"]] == [2, 4, 1]
