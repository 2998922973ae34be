"""Matrices are multiplied, by several threads at last: OpenBLAS maps a buffer for each."""

import threading

import stage

stage.start()
stage.open_session()
expect = stage.Expectations()

import numpy  # noqa: E402

matrix = numpy.ones((1201, 1201))
product, line = matrix @ matrix, stage.line()
expect.note(product.nbytes, line)
together = threading.Barrier(3)


def multiply():
    together.wait()
    return (matrix @ matrix).sum(), stage.line()


lines = []
threads = [threading.Thread(target=lambda: lines.append(multiply()[1])) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
expect.finish(others_line=lines[0])
