"""An allocator's library, loaded by the name of a link to it, maps plainly, and grows and moves what it mapped."""

import ctypes
import mmap
import os
import pathlib
import shutil
import tempfile

import stage

READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE
POOL, HELD = 20_011 * mmap.PAGESIZE, 7_013 * mmap.PAGESIZE

expect = stage.Expectations()
installed = tempfile.TemporaryDirectory()
folder = pathlib.Path(installed.name)
(folder / "libraries").mkdir()
shutil.copy(os.path.join(stage.NATIVE, "libexact_alloc.so"), folder / "libraries" / "libjemalloc.so.2")
link = folder / "liballocator.so"
link.symlink_to("libraries/libjemalloc.so.2")
allocator = ctypes.CDLL(str(link))
for name, result, arguments in (
    ("mmap", ctypes.c_void_p, (ctypes.c_size_t, ctypes.c_int, ctypes.c_int)),
    ("mremap", ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)),
    ("touch", None, (ctypes.c_void_p, ctypes.c_size_t)),
):
    function = getattr(allocator, f"exact_{name}")
    function.restype, function.argtypes = result, arguments

stage.start()
stage.open_session()
pool, pool_line = allocator.exact_mmap(POOL, READ_WRITE, mmap.MAP_PRIVATE), stage.line()
moved, moved_line = allocator.exact_mremap(pool, POOL, 2 * POOL), stage.line()
allocator.exact_touch(moved, HELD)
expect.finish(pool=POOL, held=HELD, lines=[pool_line, moved_line])
