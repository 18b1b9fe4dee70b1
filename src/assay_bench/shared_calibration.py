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
from accuracy_assay.protocols import Calibration, Layers, NetworkCalibration, OnSteps
from accuracy_assay.registry import build_calibrator
from accuracy_assay.runtime.arrays import IntArray

__all__ = ["SharedCalibrator"]

_LARGEST_NUMBER = 3
"""Calibrations held at a time: the raw, temperature and full one of a task and a seed."""


@dataclass(slots=True)
class _Shared:
    """What has been worked out for one task, seed and calibration."""

    fitted: Calibration | None = None
    rows: dict[bytes, Affiliation] = field(default_factory=dict)


@lru_cache(maxsize=_LARGEST_NUMBER)
def _shared(key: Hashable) -> _Shared:
    return _Shared()


@dataclass(frozen=True, slots=True)
class _SharedCalibration:
    """A calibration that remembers its answers by what was certain."""

    shared: _Shared

    @property
    def hidden_layers(self) -> Layers | None:
        """The network of the calibration that is shared, if it has one."""
        fitted = self.shared.fitted
        return fitted.hidden_layers if isinstance(fitted, NetworkCalibration) else None

    def affiliation(self, evidence: Evidence, known: IntArray | None = None) -> Affiliation:
        """Return sparse rows over arms, worked out once for each ``known``."""
        assert self.shared.fitted is not None
        key = b"" if known is None else known.tobytes()
        if key not in self.shared.rows:
            self.shared.rows[key] = self.shared.fitted.affiliation(evidence, known)
        return self.shared.rows[key]


@dataclass(frozen=True, slots=True)
class SharedCalibrator:
    """The calibrator called ``name``, fitted once in a process for each ``key``.

    The key is what decides the calibration: the task, the seed and the size of the seed set.
    """

    name: str
    key: tuple[Hashable, ...]

    def fit(
        self,
        seed: Evidence,
        gold: IntArray,
        pool: Evidence,
        rng: np.random.Generator,
        on_steps: OnSteps | None = None,
    ) -> Calibration:
        """Return the calibration of this key; the first call fits it."""
        shared = _shared((self.name, *self.key))
        if shared.fitted is None:
            shared.fitted = build_calibrator(self.name).fit(seed, gold, pool, rng, on_steps)
        return _SharedCalibration(shared)
