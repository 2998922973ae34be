"""Ratios of paired measurements, and how sure they are."""

from __future__ import annotations

import math
import random
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


def ratio_of(groups: Sequence[Sequence[tuple[float, float]]], draws: int = 2000) -> Ratio:
    """The geometric mean of profiled / bare, with its 95 % bootstrap interval.

    `groups`: of each process, its pairs (profiled, bare) of seconds. Pairs of one process share its memory layout, so
    what is drawn anew is processes. Raises ValueError without two of them.
    """
    if len(groups) < 2:
        raise ValueError("an interval needs the pairs of at least two processes")
    means = [statistics.fmean(math.log(profiled / bare) for profiled, bare in pairs) for pairs in groups]
    source = random.Random(1)
    drawn = sorted(statistics.fmean(source.choices(means, k=len(means))) for _ in range(draws))
    return Ratio(
        math.exp(statistics.fmean(means)), math.exp(drawn[int(0.025 * draws)]), math.exp(drawn[int(0.975 * draws) - 1])
    )
