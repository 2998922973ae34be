"""What runs in processes that a task starts; they import it by its name."""


def take(size):
    """bytearray(n) asks for n + 1 bytes."""
    return len(bytearray(size - 1)) * 0  # take in a child
