"""What processes of a task do; shipped by --py-files, so that a new Python finds it."""


def hold(size):
    block = bytearray(size)  # held by a child
    assert len(block) == size
