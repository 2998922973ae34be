"""Where a JVM may find itself: without control groups or /proc, beside other tools, under a security manager."""

import async_profiler
import pytest
from conftest import BUILD, sites, total
from memory_cgroups import memory_hierarchy
from namespaces import mounted

BLOCK = 7_777_784
HEAP = 20_000 * 1016
MOST_ON_11 = 1.6  # its sampler takes too many (docs/decisions/0316): if it took all, 1 / (1 - exp(-1016 / 1024))

WITHOUT_CGROUPS = "umount -a -l -t cgroup,cgroup2"
WITHOUT_PROC = "umount -R -l /proc"


def run(java, most=1.1, **options):
    """most: of what is known to be on the heap, as a factor."""
    outcome = java.run("Surroundings", **options)
    assert outcome.status == 0, outcome.err
    assert not outcome.warnings
    task = outcome.task("task")
    assert [site["allocatedBytes"] for site in sites(task, "jvm-offheap", "Surroundings.block")] == [BLOCK]
    found = sum(site["allocatedBytes"] for site in sites(task, "jvm-heap", "Surroundings.many"))
    assert 0.9 * HEAP <= found <= most * HEAP  # a tenth is 14 standard deviations at 1 KiB
    return outcome


def test_a_container_without_control_groups_may_have_a_limit(java):
    last = run(java, prefix=mounted(WITHOUT_CGROUPS)).snapshots()[-1]
    assert last["cgroupUnseen"] is True
    assert "cgroupLimitBytes" not in last
    assert "none are mounted here" in last["notAvailable"]["the limit of a container"]
    assert last["last"]["usedBytes"] > HEAP, "its processes' sum"


def test_with_control_groups_nothing_is_unseen(java17):
    folder, reason = memory_hierarchy()
    if folder is None:
        pytest.skip(reason)
    last = run(java17).snapshots()[-1]
    assert last["cgroupUnseen"] is False
    assert "the limit of a container" not in last["notAvailable"]
    assert "use of memory" not in last["notAvailable"]


def test_without_proc_what_is_not_read_is_not_zero(java):
    # Without /proc the launcher may not find its own libraries.
    environment = {"LD_LIBRARY_PATH": str(java.home / "lib")}
    outcome = run(java, prefix=mounted(WITHOUT_PROC), env=environment)
    last = outcome.snapshots()[-1]
    assert last["cgroupUnseen"] is True
    assert "/proc" in last["notAvailable"]["use of memory"]
    assert not {"last", "atPeak", "hostMemoryBytes"} & set(last)
    assert not last["processes"]
    assert not [message for message in outcome.messages() if "timeLine" in message], "no sample has a time"


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["-XX:StartFlightRecording=filename=recording.jfr,settings=profile"], id="flight-recorder"),
        pytest.param(["-XX:NativeMemoryTracking=detail"], id="native-memory-tracking"),
        pytest.param(["-Xcheck:jni"], id="checked-jni"),
    ],
)
def test_beside_the_jdks_own_tools(java, options):
    outcome = run(java, jvm=options)
    printed = outcome.out + outcome.err
    assert "WARNING in native method" not in printed  # of -Xcheck:jni
    assert "FATAL ERROR" not in printed


@pytest.mark.full
@pytest.mark.parametrize("event", ["ctimer", "wall", "nativemem"])
def test_beside_async_profiler(java, event):
    """It interrupts threads by signals, or redirects malloc.

    Its `alloc` wants the JVM's sampler, which only one agent may hold: test_lifecycle.py.
    """
    library = async_profiler.library(BUILD / "tests" / "async-profiler")
    run(java, jvm=[f"-agentpath:{library}=start,event={event},interval=1ms,file=theirs.txt,collapsed"])
    assert "Surroundings" in (java.folder / "theirs.txt").read_text()


POLICY = """
grant {
  permission java.io.FilePermission "<<ALL FILES>>", "read,write";
  permission java.lang.RuntimePermission "loadLibrary.*";
  permission java.lang.RuntimePermission "getenv.*";
  permission java.lang.RuntimePermission "accessDeclaredMembers";
  permission java.lang.RuntimePermission "accessClassInPackage.sun.misc";
  permission java.lang.reflect.ReflectPermission "suppressAccessChecks";
  permission java.util.PropertyPermission "user.dir", "read";
};
"""


@pytest.mark.parametrize(("jdk", "most"), [("java17", 1.1), pytest.param("java11", MOST_ON_11, marks=pytest.mark.full)])
def test_under_a_security_manager(request, jdk, most):
    java = request.getfixturevalue(jdk)
    java.folder.mkdir(parents=True, exist_ok=True)
    policy = java.folder / "policy"
    policy.write_text(POLICY)
    outcome = run(java, most, jvm=["-Djava.security.manager", f"-Djava.security.policy=={policy}"])
    assert total(outcome.task("task"), "jvm-heap") >= HEAP * 0.9
