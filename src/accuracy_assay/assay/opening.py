"""What is checked before an assay is created or opened, so that nothing half-made is left."""

from __future__ import annotations

from collections.abc import Sequence

from accuracy_assay.assay.pool_rows import PoolRows
from accuracy_assay.domain.agreement import agreement
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.tables import Rows
from accuracy_assay.registry import CALIBRATIONS, build_estimator, build_strategy
from accuracy_assay.spec.model import Spec

__all__ = ["checked_rows", "only_one"]


def checked_rows(spec: Spec, pool: Rows, seed_set: Rows) -> PoolRows:
    """Read the tables, after every name in the spec was found to mean something."""
    build_estimator(spec.assay.estimator)
    build_strategy(spec.assay.strategy)
    if spec.assay.calibration not in CALIBRATIONS:  # built when an attribute is guessed
        raise UnknownNameError("calibration", spec.assay.calibration, CALIBRATIONS)
    agreement(spec.label.agreement)
    return PoolRows.read(spec, pool, seed_set)


def only_one(names: Sequence[str], name: str | None) -> str:
    """Return the assay that is meant; where a store has several it must be named."""
    if name is not None and name not in names:
        raise UnknownNameError("assay", name, names)
    if name is None and len(names) != 1:
        raise InputError(
            "name must say which assay where a store has none or several; got a store with "
            f"{list(names)}."
        )
    return names[0] if name is None else name
