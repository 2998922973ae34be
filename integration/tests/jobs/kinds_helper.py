"""A user's module, shipped to the workers in an archive: takes blocks in every place where Python code can stand.

`number` tells the callers' blocks apart: each block is 101 * number bytes larger than its place says.
"""

OWN = 3_500_059  # what a function takes by itself


class Taker:
    def __init__(self, more):
        self.more = more

    def take(self):
        return len(bytearray(3_100_019 + self.more))  # method


def take(more):
    return len(bytearray(3_000_007 + more))  # helper


def parts(more):
    yield 0
    block = bytearray(3_200_027 + more)  # generator
    yield len(block)


BY_NAME = {"lambda": lambda more: len(bytearray(3_300_037 + more))}  # lambda


def everywhere(number):
    """Takes a block in each place, one after the other; none is kept. Returns 0."""
    more = 101 * number
    taken = [take(more), Taker(more).take(), sum(parts(more)), BY_NAME["lambda"](more)]
    taken += [len(bytearray(size)) for size in (3_400_049 + more,)]  # comprehension
    return 0 * sum(taken)
