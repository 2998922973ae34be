"""Each function of the allocator families, freed and not; growth by realloc; mappings cut and moved; other threads."""

import mmap

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


def only_reserved():
    library.exact_mmap(1 << 33, PROT_NONE, PRIVATE)
    library.exact_mmap(1 << 33, READ_WRITE, PRIVATE | MAP_NORESERVE)


def loaded_late():
    late = stage.load("exact_alloc_late")
    library.exact_malloc(expect.size())  # a sample is what notices the new library
    size = expect.size()
    _, line = late.exact_malloc(size), stage.line()
    expect.note(size, line, live=size, module="libexact_alloc_late.so")


def objects():
    size = expect.size()
    block, line = bytearray(size - 1), stage.line()  # one more for its closing 0
    expect.note(size, line, live=size)
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
only_reserved()
loaded_late()
kept = objects()
expect.finish()
