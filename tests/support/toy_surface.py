"""A surface of four arms whose numbers can be worked out by hand; one arm is not in the pool."""

from typing import Any

import numpy as np

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.surface import AccuracySurface

__all__ = ["SPACE", "toy"]

SPACE = AttributeSpace((Attribute("sex", ("F", "M")), Attribute("age", ("young", "old"))))


def toy(**changes: Any) -> AccuracySurface:
    """Return the surface, with some of its values changed."""
    columns: dict[str, Any] = {
        "space": SPACE,
        "arms": np.arange(4),
        "n": np.array([10.0, 4.0, 0.0, 0.0]),
        "correct": np.array([9.0, 1.0, 0.0, 0.0]),
        "support": np.array([60.0, 20.0, 20.0, 0.0]),
        "mean": np.array([0.9, 0.25, 0.5, 0.5]),
        "sd": np.array([0.03, 0.04, 0.3, 0.3]),
        "lower": np.array([0.8, 0.1, 0.1, 0.1]),
        "upper": np.array([0.95, 0.4, 0.9, 0.9]),
    }
    return AccuracySurface(**columns | changes)
