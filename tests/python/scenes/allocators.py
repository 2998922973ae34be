"""Each function of the allocator families, freed and not; growth by realloc; mappings cut and moved; other threads."""

import mmap
import sys
import tracemalloc

import stage

library = stage.load("exact_alloc")
expect = stage.Expectations()
PAGE = mmap.PAGESIZE
READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE
PRIVATE = mmap.MAP_PRIVATE
PROT_NONE = 0
MAP_NORESERVE = 0x4000


def one_of_each():
    for name in ("malloc", "calloc", "posix_memalign", "aligned_alloc", "memalign", "valloc", "pvalloc", "new"):
        allocate = getattr(library, f"exact_{name}")
        size = expect.size()
        # A line of its own for each: the same code compiled at another place.
        scope = {"allocate": allocate, "size": size}
        exec(compile("block = allocate(size)", f"{name}.py", "exec"), scope)
        expect.note(size, 0, live=size)
        expect.found[-1].update(function="<module>", file=f"{name}.py", line=1)


def given_back():
    size = expect.size()
    block, line = library.exact_malloc(size), stage.line()
    library.exact_free(block)
    expect.note(size, line, live=0)
    size = expect.size()
    block, line = library.exact_new(size), stage.line()
    library.exact_delete(block)
    expect.note(size, line, live=0)


def given_back_by_another_thread():
    size = expect.size()
    block, line = library.exact_malloc(size), stage.line()
    library.exact_free_in_thread(block)
    expect.note(size, line, live=0)


def grown():
    """Six lines, each growing the block of the line before."""
    block = None
    sizes = [expect.size() for _ in range(6)]
    lines = []
    for size, resize in zip(sizes, (library.exact_realloc, library.exact_reallocarray) * 3):
        scope = {"resize": resize, "block": block, "size": size}
        exec(compile("block = resize(block, size)", f"grown-{size}.py", "exec"), scope)
        block = scope["block"]
        lines.append(f"grown-{size}.py")
    for size, file in zip(sizes, lines):
        expect.note(size, 0, live=size if size == sizes[-1] else 0)
        expect.found[-1].update(function="<module>", file=file, line=1)


def failed_growth():
    """What can't be grown is still there."""
    size = expect.size()
    block, line = library.exact_malloc(size), stage.line()
    assert library.exact_realloc(block, 1 << 62) is None
    expect.note(size, line, live=size)


def mapped():
    size = 500 * PAGE + PAGE * len(expect.found)
    mapping, line = library.exact_mmap(size, READ_WRITE, PRIVATE), stage.line()
    library.exact_munmap(mapping, 0, size)
    expect.note(size, line, live=0)


def refused():
    """What the kernel refuses to unmap is still there."""
    size = 550 * PAGE + PAGE * len(expect.found)
    mapping, line = library.exact_mmap(size, READ_WRITE, PRIVATE), stage.line()
    assert library.exact_munmap(mapping, 1, size - 1) == -1
    expect.note(size, line, live=size)


def partly_unmapped():
    size = 600 * PAGE + PAGE * len(expect.found)
    mapping, line = library.exact_mmap(size, READ_WRITE, PRIVATE), stage.line()
    library.exact_munmap(mapping, 100 * PAGE, 50 * PAGE)
    expect.note(size, line, live=size - 50 * PAGE)


def shrunk_and_moved():
    size = 700 * PAGE + PAGE * len(expect.found)
    mapping, line = library.exact_mmap(size, READ_WRITE, PRIVATE), stage.line()
    library.exact_mremap(mapping, size, size - 300 * PAGE)
    expect.note(size, line, live=size - 300 * PAGE)
    size = 1800 * PAGE + PAGE * len(expect.found)
    mapping, line = library.exact_mmap(size, READ_WRITE, PRIVATE), stage.line()
    expect.note(size, line, live=0)
    larger = 2 * size
    moved, line = library.exact_mremap(mapping, size, larger), stage.line()
    assert moved is not None
    expect.note(larger, line, live=larger)


def moved_in_part():
    size = 5000 * PAGE + PAGE * len(expect.found)
    mapping, line = library.exact_mmap(size, READ_WRITE, PRIVATE), stage.line()
    larger = 5400 * PAGE + PAGE * len(expect.found)
    part, part_line = library.exact_mremap(mapping + 200 * PAGE, 300 * PAGE, larger), stage.line()
    assert part is not None
    expect.note(size, line, live=size - 300 * PAGE)
    expect.note(larger, part_line, live=larger)


def moved_over_another():
    """All of a mapping takes the place of a part of another, where it is shorter than before."""
    size = 6000 * PAGE + PAGE * len(expect.found)
    target, target_line = library.exact_mmap(size, READ_WRITE, PRIVATE), stage.line()
    expect.note(size, target_line, live=size - 500 * PAGE)
    size = 6500 * PAGE + PAGE * len(expect.found)
    mapping, line = library.exact_mmap(size, READ_WRITE, PRIVATE), stage.line()
    expect.note(size, line, live=0)
    moved, moved_line = library.exact_mremap_to(mapping, size, 500 * PAGE, target + 700 * PAGE), stage.line()
    assert moved == target + 700 * PAGE
    expect.note(500 * PAGE, moved_line, live=500 * PAGE)


def not_grown():
    """Two mappings side by side, which have no room to grow where they are: what is refused changes nothing."""
    size = 2200 * PAGE + PAGE * len(expect.found)
    room, line = library.exact_mmap(3 * size, READ_WRITE, PRIVATE), stage.line()
    first, first_line = library.exact_mmap_at(room, 0, size), stage.line()
    second_line = library.exact_mmap_at(room, size, size + PAGE) and stage.line()
    assert library.exact_mremap_here(first, 2 * size + PAGE, 2 * size + 2 * PAGE) is None
    expect.note(3 * size, line, live=size - PAGE)
    expect.note(size, first_line, live=size)
    expect.note(size + PAGE, second_line, live=size + PAGE)


def moved_without_its_place():
    size = 7000 * PAGE + PAGE * len(expect.found)
    mapping, line = library.exact_mmap(size, READ_WRITE, PRIVATE), stage.line()
    part = size - 100 * PAGE
    moved, moved_line = library.exact_mremap_pages(mapping + 100 * PAGE, part), stage.line()
    if moved is None:
        print("this kernel has no MREMAP_DONTUNMAP", file=sys.stderr)
        expect.note(size, line, live=size)
        return
    expect.note(size, line, live=100 * PAGE)
    expect.note(part, moved_line, live=part)


def cut_in_three():
    size = 2600 * PAGE + PAGE * len(expect.found)
    mapping, line = library.exact_mmap(size, READ_WRITE, PRIVATE), stage.line()
    library.exact_munmap(mapping, 200 * PAGE, 70 * PAGE)
    library.exact_munmap(mapping, 900 * PAGE, 110 * PAGE)
    # What is left in the middle is made shorter: the end of that part goes, not the end of the mapping.
    library.exact_mremap(mapping + 300 * PAGE, 100 * PAGE, 60 * PAGE)
    expect.note(size, line, live=size - (70 + 110 + 40) * PAGE)


def several_at_once():
    """Three mappings side by side, from the middle of the first to the middle of the last given back by one call."""
    size = 3000 * PAGE + PAGE * len(expect.found)
    room = library.exact_mmap(4 * size, PROT_NONE, PRIVATE)
    sizes, lines = [size, size + PAGE, size + 2 * PAGE], []
    for offset, part in ((0, sizes[0]), (sizes[0], sizes[1]), (sizes[0] + sizes[1], sizes[2])):
        scope = {"mmap_at": library.exact_mmap_at, "room": room, "offset": offset, "size": part}
        exec(compile("mmap_at(room, offset, size)", f"part-{part}.py", "exec"), scope)
        lines.append(f"part-{part}.py")
    library.exact_munmap(room, 400 * PAGE, sum(sizes) - 400 * PAGE - 500 * PAGE)
    for part, live, file in zip(sizes, (400 * PAGE, 0, 500 * PAGE), lines):
        expect.note(part, 0, live=live)
        expect.found[-1].update(function="<module>", file=file, line=1)
    return 4 * size


def mapped_over():
    """MAP_FIXED takes the middle of a mapping for one of its own, and a third one takes a part of that."""
    size = 4000 * PAGE + PAGE * len(expect.found)
    mapping, line = library.exact_mmap(size, READ_WRITE, PRIVATE), stage.line()
    part, part_line = library.exact_mmap_at(mapping, 700 * PAGE, 301 * PAGE), stage.line()
    small, small_line = library.exact_mmap_at(part, 100 * PAGE, 97 * PAGE), stage.line()
    assert (part, small) == (mapping + 700 * PAGE, part + 100 * PAGE)
    expect.note(size, line, live=size - 301 * PAGE)
    expect.note(301 * PAGE, part_line, live=(301 - 97) * PAGE)
    expect.note(97 * PAGE, small_line, live=97 * PAGE)


def under_a_profile_function():
    sys.setprofile(lambda *_: None)
    size = expect.size()
    block, line = library.exact_malloc(size), stage.line()
    sys.setprofile(None)
    expect.note(size, line, live=size)
    return block


def under_tracemalloc():
    """Started and stopped within the session: it wraps the allocators that wrap pymalloc."""
    tracemalloc.start(25)
    size = expect.size()
    block, line = bytearray(size - 1), stage.line()
    expect.note(size, line, live=0, objects=True)
    assert tracemalloc.get_traced_memory()[0] > size
    del block
    tracemalloc.stop()
    size = expect.size()
    block, line = bytearray(size - 1), stage.line()
    expect.note(size, line, live=size, objects=True)
    return block


def only_reserved():
    library.exact_mmap(1 << 33, PROT_NONE, PRIVATE)
    library.exact_mmap(1 << 33, READ_WRITE, PRIVATE | MAP_NORESERVE)


def objects():
    size = expect.size()
    block, line = bytearray(size - 1), stage.line()  # one more for its closing 0
    expect.note(size, line, live=size, objects=True)
    return block


stage.start()
stage.start()  # a second start changes nothing
stage.open_session()
one_of_each()
given_back()
given_back_by_another_thread()
grown()
failed_growth()
mapped()
refused()
partly_unmapped()
shrunk_and_moved()
moved_in_part()
moved_over_another()
not_grown()
moved_without_its_place()
cut_in_three()
room = several_at_once()
mapped_over()
only_reserved()
profiled = under_a_profile_function()
traced = under_tracemalloc()
kept = objects()
expect.finish(room=room)
