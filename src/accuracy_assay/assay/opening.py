"""What is checked before an assay is created or opened, so that nothing half-made is left."""

from __future__ import annotations

from collections.abc import Sequence

from accuracy_assay.assay.rows import AssayRows
from accuracy_assay.domain.agreement import agreement
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.tables import Rows
from accuracy_assay.registry import (
    build_estimator,
    build_service,
    build_strategy,
    check_calibrator,
)
from accuracy_assay.spec.model import Spec

__all__ = ["checked_rows", "only_one"]


def checked_rows(spec: Spec, pool: Rows, seed_set: Rows) -> AssayRows:
    """Read the tables, after every name in the spec was found to mean something."""
    build_estimator(spec.assay.estimator)
    build_strategy(spec.assay.strategy)
    check_calibrator(spec.assay.calibration)  # built when an attribute is guessed
    for service in spec.service:
        if service.kind is not None:
            build_service(*service.made_from())
    agreement(spec.label.agreement)
    return AssayRows.read(spec, pool, seed_set)


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
