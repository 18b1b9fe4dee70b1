"""One calibration for all methods that share a task and a seed.

Methods that are compared see the same seed set and the same pool, so they see the same
calibration; fitting it once for each would change nothing but the time.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.protocols import Calibration, Layers, NetworkCalibration
from accuracy_assay.registry import build_calibrator
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["SharedCalibrator", "share"]


@dataclass(slots=True)
class _Kept:
    """What has been worked out for one task, seed and calibration."""

    fitted: Calibration | None = None
    rows: dict[bytes, Affiliation] = field(default_factory=dict)


@lru_cache(maxsize=3)
def _kept(key: Hashable) -> _Kept:
    return _Kept()


@dataclass(frozen=True, slots=True)
class _SharedCalibration:
    """A calibration that remembers its answers by what was certain."""

    kept: _Kept

    @property
    def hidden_layers(self) -> Layers | None:
        """The network of the calibration that is shared, if it has one."""
        fitted = self.kept.fitted
        return fitted.hidden_layers if isinstance(fitted, NetworkCalibration) else None

    def affiliation(self, evidence: Evidence, known: IntArray | None = None) -> Affiliation:
        """Return sparse rows over arms, worked out once for each ``known``."""
        assert self.kept.fitted is not None
        key = b"" if known is None else known.tobytes()
        if key not in self.kept.rows:
            self.kept.rows[key] = self.kept.fitted.affiliation(evidence, known)
        return self.kept.rows[key]


@dataclass(frozen=True, slots=True)
class SharedCalibrator:
    """The calibrator called ``name``, fitted once for each ``key`` in a process."""

    name: str
    key: tuple[Hashable, ...]

    def fit(
        self, seed: Evidence, gold: IntArray, pool: Evidence, rng: np.random.Generator
    ) -> Calibration:
        """Return the calibration of this key; the first call fits it."""
        kept = _kept((self.name, *self.key))
        if kept.fitted is None:
            kept.fitted = build_calibrator(self.name).fit(seed, gold, pool, rng)
        return _SharedCalibration(kept)


def share(name: str, *key: Hashable) -> SharedCalibrator:
    """Return the calibrator ``name`` shared under ``key``: the task, the seed, the seed set."""
    return SharedCalibrator(name, key)
