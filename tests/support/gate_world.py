"""Surfaces with known means and spreads, so that a verdict can be worked out by hand."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.reports.checks import Check, Finding, Gate

__all__ = ["SEX_AGE", "make_check", "make_gate", "normal_surface"]

SEX_AGE = AttributeSpace(
    (Attribute("sex", ("F", "M")), Attribute("age", ("young", "middle", "old"), kind="ordinal"))
)


def normal_surface(
    mean: float | Sequence[float] = 0.8,
    sd: float = 0.01,
    *,
    n: float = 100.0,
    rows: float | Sequence[float] = 500.0,
    space: AttributeSpace = SEX_AGE,
    seed: int = 0,
    target: str = "population",
    **changes: Any,
) -> AccuracySurface:
    """Return a surface whose arms are independent and normal, with 2,000 draws."""
    size = space.n_arms
    middle = np.broadcast_to(np.asarray(mean, dtype=float), size).copy()
    z = np.random.default_rng(seed).standard_normal((2_000, size))
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    columns: dict[str, Any] = {
        "n": np.full(size, n),
        "correct": n * middle,
        "support": np.broadcast_to(np.asarray(rows, dtype=float), size).copy(),
        "mean": middle,
        "sd": np.full(size, sd),
        "lower": np.clip(middle - 1.645 * sd, 0.0, 1.0),
        "upper": np.clip(middle + 1.645 * sd, 0.0, 1.0),
        "draws": np.clip(middle + sd * z, 0.0, 1.0).astype(np.float32),
        "details": {"target": target},
    }
    return AccuracySurface(space, np.arange(size), **columns | changes)


def make_check(verdict: Any = "pass", name: str = "floor", **changes: Any) -> Check:
    """Return a check as one would find it."""
    finding = Finding("the whole pool", 0.81, 0.79, 0.83, 0.9, None, 600.0, 3_000.0)
    known: dict[str, Any] = {
        "name": name,
        "asks": "accuracy of at least 80.0%",
        "verdict": verdict,
        "confidence": 0.95,
        "chance": 0.8,
        "findings": (finding,),
        "better": (),
        "n_failed": 0,
        "n_better": 0,
        "n_places": 1,
        "thin": (),
        "labels_to_settle": None,
        "would_be": None,
        "says": "the whole pool 81.0% (90% interval 79.0% to 83.0%; 600 labels)",
        "remarks": ("left out: sex = X",),
    }
    return Check(**known | changes)


def make_gate(*checks: Check) -> Gate:
    """Return a gate of some checks, by default one of each verdict."""
    verdicts = ("pass", "not enough labels", "fail")
    return Gate(checks or tuple(make_check(v, v.upper()) for v in verdicts), 600.0)
