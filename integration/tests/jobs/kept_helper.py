"""What tasks leave behind in a worker that serves many: imported there, so its lists outlive a task."""

REMEMBERED = []
BATCHES = []
CACHE = {}


def remember(numbers):
    """Leaks a block with every task."""
    REMEMBERED.append(bytearray(1_000_003))  # leaks
    return [len(REMEMBERED) + sum(numbers)]


def remember_batches(batches):
    """Leaks a block with every task, of any number of batches."""
    for number, batch in enumerate(batches):
        if number == 0:
            BATCHES.append(bytearray(1_234_567))  # leaks by batch
        yield batch


def look_up(numbers):
    """Fills a cache in the first task and finds it full in all others."""
    if "table" not in CACHE:
        CACHE["table"] = bytearray(9_000_011)  # fills once
    return [len(CACHE["table"]) + sum(numbers)]


def replace(numbers):
    """Leaves a block in every task, and gives back the one before."""
    CACHE["latest"] = bytearray(5_000_011)  # replaces
    return [len(CACHE["latest"]) + sum(numbers)]


def free(numbers):
    """Leaves nothing."""
    block = bytearray(7_000_003)  # frees
    return [len(block) + sum(numbers)]
