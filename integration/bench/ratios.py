"""Ratios of paired measurements, and how sure they are."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """A ratio of times, and its 95 % interval."""

    middle: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        return f"{self.middle:.3f} [{self.low:.3f}, {self.high:.3f}]"


# Student's t: 97.5 % of its distribution lie below, with 1, 2, … degrees of freedom; beyond, the normal one will do.
T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120)
T += (2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042)
NORMAL = 1.96


def interval_of(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean, and the ends of its 95 % interval by Student's t. Raises ValueError for less than two values."""
    if len(values) < 2:
        raise ValueError("an interval needs at least two values")
    middle, degrees = statistics.fmean(values), len(values) - 1
    reach = (T[degrees - 1] if degrees <= len(T) else NORMAL) * statistics.stdev(values) / math.sqrt(len(values))
    return middle, middle - reach, middle + reach


def ratio_of(groups: Sequence[Sequence[tuple[float, float]]]) -> Ratio:
    """The geometric mean of profiled / bare, with its 95 % interval by Student's t.

    `groups`: of each process, its pairs (profiled, bare) of seconds. Pairs of one process share its memory layout, so
    what counts as one observation is a process. Raises ValueError without two of them.
    """
    if len(groups) < 2:
        raise ValueError("an interval needs the pairs of at least two processes")
    means = [statistics.fmean(math.log(profiled / bare) for profiled, bare in pairs) for pairs in groups]
    return Ratio(*(math.exp(value) for value in interval_of(means)))
