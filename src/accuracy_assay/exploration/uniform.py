"""Uniform sampling: every instance is as likely as any other.

The name that users type is ``random``; the module is called otherwise so that it cannot be taken
for the standard library's.
"""

from dataclasses import dataclass

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.protocols import Candidates, Choice

__all__ = ["Random"]


@dataclass(frozen=True, slots=True)
class Random:
    """Choose instances uniformly without replacement."""

    @property
    def is_random(self) -> bool:
        """Every instance is as likely as any other."""
        return True

    def choose(
        self,
        surface: AccuracySurface,
        candidates: Candidates,
        n: int,
        rng: np.random.Generator,
    ) -> Choice:
        """Return ``n`` uniform candidates."""
        total = candidates.instances.size
        count = min(n, total)
        positions = rng.choice(total, size=count, replace=False).astype(np.int64)
        chance = 1.0 / (total - np.arange(count))
        return Choice(positions, chance, ("at random",) * count, chance)
