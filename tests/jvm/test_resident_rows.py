"""Rows of the JVM's resident memory, against amounts that the program and the JVM's options fix."""

import pytest
from conftest import BUILD
from test_native import HOG

KIB, MIB = 1 << 10, 1 << 20
HEAP = 256 * MIB
DIRECT, BLOCKS, BLOCK_BYTES, THREADS = 61_234_567, 20_000, 4568, 24


@pytest.mark.parametrize("collector", ["G1", "Parallel", "Serial", "Z", "Shenandoah"])
def test_rows_of_the_jvm_add_up(java, collector):
    options = [f"-XX:+Use{collector}GC", f"-Xms{HEAP}", f"-Xmx{HEAP}", "-XX:+AlwaysPreTouch"]
    options += ["-XX:MaxDirectMemorySize=1g"]
    # Compiled frames are smaller, and when a busy machine compiles is chance: each of the 3,000 stays interpreted.
    options += ["-XX:CompileCommand=quiet", "-XX:CompileCommand=exclude,ResidentRows.descend"]
    options += ["--sun-misc-unsafe-memory-access=allow"] if java.version == "25" else []
    outcome = java.run("ResidentRows", jvm=options, env={"NATIVE_HOG": HOG})
    assert outcome.status == 0, outcome.err
    last = outcome.snapshots()[-1]
    (jvm,) = [process for process in last["processes"] if process["kind"] == "jvm"]
    rows, rss, unattributed = jvm["rows"], jvm["peakRssBytes"], jvm["unattributedBytes"]
    print(f"JDK {java.version}, {collector}: unattributed {unattributed / rss:+.1%} of {rss // MIB} MiB, {rows}")
    assert abs(unattributed) < 0.03 * rss

    # Where it isn't generational, ZGC maps its heap three times, and that often the kernel counts its pages.
    views = 3 if java.version in ("17", "21") and collector == "Z" else 1
    assert rows["Java heap"] == pytest.approx(views * HEAP, rel=0.01)
    # The last growth below 2 % is not measured any more.
    assert 5 * DIRECT - 0.02 * rss < rows["off-heap blocks"] < 5 * DIRECT + 32 * KIB
    held = BLOCKS // 2 * BLOCK_BYTES
    assert held < rows["malloc"] < held + 10 * MIB
    assert 0.98 * held < rows["allocator retention"] < held + 10 * MIB, "the JVM may use some of what was given back"
    # Mappings of the JVM that the kernel happens to place directly above a stack, and to merge with it, are in its row.
    stacks, others = rows["thread stacks"], rows["metaspace, GC structures and other mappings"]
    assert stacks > THREADS * 400 * KIB
    assert stacks + others < THREADS * 440 * KIB + 32 * MIB
    assert 4 * MIB < rows["code cache"] < 16 * MIB
    assert rows["mapped files"] > 8 * MIB


def test_a_malloc_of_another_library_is_named(java17):
    """jemalloc or mimalloc, preloaded: what libc says of its own heaps is of none of its blocks."""
    preloaded = {"LD_PRELOAD": str(BUILD / "tests" / "jvm" / "libother_malloc.so")}
    outcome = java17.run("ResidentRows", env={"NATIVE_HOG": HOG, **preloaded}, jvm=["-XX:MaxDirectMemorySize=1g"])
    assert outcome.status == 0, outcome.err
    last = outcome.snapshots()[-1]
    (jvm,) = [process for process in last["processes"] if process["kind"] == "jvm"]
    assert jvm["rows"]["malloc (libother_malloc.so), metaspace and other mappings"] > MIB
    assert not {"malloc", "allocator retention", "metaspace, GC structures and other mappings"} & set(jvm["rows"])
    assert "libother_malloc.so's" in last["notAvailable"]["the JVM's row of malloc"]
