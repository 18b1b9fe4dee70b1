"""Which arms each instance may belong to: before its label is known, and after.

Exact attributes need no calibration. Where some are guessed or revealed by the label, the
calibration is learned once from the seed set and the pool, and kept in a file beside the store.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from accuracy_assay.assay.pool_rows import PoolRows
from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.errors import InputError
from accuracy_assay.protocols import Calibration
from accuracy_assay.registry import build_calibrator
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.spec.model import Spec

__all__ = ["Affiliations", "OnCalibration"]

OnCalibration = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False)
class Affiliations:
    """The arms of pool rows as candidates, and of any rows once they are labelled."""

    rows: PoolRows
    calibration: Calibration | None
    candidate: Affiliation

    @classmethod
    def prepare(
        cls,
        spec: Spec,
        rows: PoolRows,
        cache: Path | None = None,
        on_progress: OnCalibration | None = None,
    ) -> Affiliations:
        """Calibrate where an attribute is guessed; ``cache`` is a folder for what was learned."""
        known = rows.gold[: rows.n_pool]
        if rows.is_exact:
            codes = _overlaid(rows.evidence.predicted()[: rows.n_pool], known)
            return cls(rows, None, Affiliation.exact(rows.space.arm_index(codes)))
        calibration = _calibrate(spec, rows, cache, on_progress)
        pool = rows.evidence.take(slice(0, rows.n_pool))
        return cls(rows, calibration, calibration.affiliation(pool, known))

    def labelled(self, instances: IntArray, known: IntArray) -> Affiliation:
        """Return the arms of labelled rows, given the codes (m, K) that are now certain."""
        certain = _overlaid(self.rows.gold[instances], known)
        evidence = self.rows.evidence.take(instances)
        if self.calibration is not None:
            return self.calibration.affiliation(evidence, certain)
        return Affiliation.exact(
            self.rows.space.arm_index(_overlaid(evidence.predicted(), certain))
        )


def _overlaid(codes: IntArray, known: IntArray) -> IntArray:
    """Return ``known`` where it says something, else ``codes``."""
    return np.where(known >= 0, known, codes)


def _calibrate(
    spec: Spec, rows: PoolRows, cache: Path | None, on_progress: OnCalibration | None
) -> Calibration:
    # Imported here: an assay of exact attributes never needs what this loads.
    from accuracy_assay.calibration.fitted import FittedCalibration

    path = None if cache is None else cache / f"{_fingerprint(spec, rows)}.calibration"
    if path is not None and path.is_file():
        try:
            return FittedCalibration.load(path)
        except InputError:
            path.unlink(missing_ok=True)  # a damaged cache is made anew
    seed = np.asarray(sorted(rows.seed_labels), dtype=np.int64)
    calibrator: Any = build_calibrator(spec.assay.calibration)
    if on_progress is not None and hasattr(calibrator, "progress"):
        calibrator = replace(calibrator, progress=on_progress)
    fitted: Calibration = calibrator.fit(
        rows.evidence.take(seed),
        rows.gold[seed],
        rows.evidence.take(slice(0, rows.n_pool)),
        np.random.default_rng([spec.assay.seed, 1]),
    )
    if path is not None and isinstance(fitted, FittedCalibration):
        path.parent.mkdir(parents=True, exist_ok=True)
        fitted.save(path)
    return fitted


def _fingerprint(spec: Spec, rows: PoolRows) -> str:
    """Return a text that changes with anything that the calibration was learned from."""
    digest = hashlib.sha256(f"{spec.assay.calibration}\0{spec.assay.seed}\0".encode())
    digest.update(repr(rows.space).encode("utf-8", "surrogatepass"))
    digest.update("\0".join(rows.ids).encode("utf-8", "surrogatepass"))
    for array in (*rows.evidence.columns, rows.gold):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]
