"""Which attributes matter, as plain values."""

from __future__ import annotations

from accuracy_assay.domain.importance import Importances
from accuracy_assay.web.surface.values import About, Attributes, Matter

__all__ = ["attributes_view"]

_MOST_PAIRS = 10
"""Pairs to show: nobody reads on, and twelve attributes have 66."""


def attributes_view(about: About, found: Importances) -> Attributes:
    """Return attributes and pairs, those that explain most first."""
    return Attributes(
        about=about,
        attributes=[Matter.model_validate(each) for each in found.attributes],
        pairs=[Matter.model_validate(each) for each in found.pairs[:_MOST_PAIRS]],
        together=found.together,
        sd=found.sd,
    )
