"""What can be computed again, kept beside the store: calibrations, topics and tags of texts."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np

from accuracy_assay.errors import InputError
from accuracy_assay.files.whole_file import whole_file
from accuracy_assay.protocols import Calibration, KeptCalibration, OnSteps
from accuracy_assay.registry import build_calibrator, load_calibration
from accuracy_assay.session.cache.folder import cache_folder
from accuracy_assay.session.rows import AssayRows
from accuracy_assay.spec.model import Spec
from accuracy_assay.study.read.arms import Arms, learn_calibration

__all__ = ["cache_folder", "keep_texts", "read_arms"]


def keep_texts(made: Path, cache: Path | None) -> None:
    """Copy what was derived from texts to the folder of the store, where it has one."""
    if cache is None:
        return
    for path in sorted(made.iterdir()):
        cache.mkdir(parents=True, exist_ok=True)
        with whole_file(cache / path.name, "probabilities of texts") as file:
            file.write(path.read_bytes())


def read_arms(
    spec: Spec, rows: AssayRows, cache: Path | None = None, on_steps: OnSteps | None = None
) -> Arms:
    """Return the arms of all rows, calibrated where an attribute is guessed.

    ``cache`` is the folder in which a calibration is looked for and left.
    """
    return Arms.read(
        rows.evidence, rows.gold, rows.n_pool, lambda: _calibrate(spec, rows, cache, on_steps)
    )


def _calibrate(
    spec: Spec, rows: AssayRows, cache: Path | None, on_steps: OnSteps | None
) -> Calibration:
    path = None if cache is None else cache / f"{_fingerprint(spec, rows)}.calibration"
    if path is not None and path.is_file():
        try:
            return load_calibration(path)
        except InputError:
            path.unlink(missing_ok=True)  # a damaged cache is made anew
    fitted = learn_calibration(
        build_calibrator(spec.assay.calibration),
        rows.evidence,
        rows.gold,
        rows.n_pool,
        np.flatnonzero((rows.gold >= 0).all(axis=1)),
        np.random.default_rng([spec.assay.seed, 1]),
        on_steps,
    )
    if path is not None and isinstance(fitted, KeptCalibration):
        path.parent.mkdir(parents=True, exist_ok=True)
        fitted.save(path)
    return fitted


def _fingerprint(spec: Spec, rows: AssayRows) -> str:
    """Return a text that changes with anything that the calibration was learned from."""
    digest = hashlib.sha256(f"{spec.assay.calibration}\0{spec.assay.seed}\0".encode())
    digest.update(repr(rows.space).encode("utf-8", "surrogatepass"))
    digest.update("\0".join(rows.ids).encode("utf-8", "surrogatepass"))
    for array in (*rows.evidence.columns, rows.gold):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]
