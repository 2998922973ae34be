"""Scenes that chance can turn into others, as when the kernel takes a second process: such a one is played once more.

That is a rerun: the results name it, with its reason, and tests/summary.py counts its test as flaky.
"""


def played(scene, other, record_property):
    """The outcome of scene(); other(outcome) says, in words, what it was instead of the scene that is wanted."""
    outcome = scene()
    if reason := other(outcome):
        record_property("rerun", reason)
        outcome = scene()
        again = other(outcome)
        assert not again, f"twice another scene: {reason}; {again}"
    return outcome
