"""numpy's arrays, imported after the start: its modules are patched when they come."""

import stage

stage.start()
stage.open_session()
expect = stage.Expectations()

import numpy  # noqa: E402

size = 80_000_008
array, line = numpy.arange(size // 8, dtype=float), stage.line()
expect.note(size, line)
array2, line = array * 2 + 1, stage.line()  # a temporary and a result, or both in one block
expect.finish(version=numpy.__version__, derived_line=line, derived_bytes=array2.nbytes)
