"""One question to one surface: some arms, a mix, or the pool as it is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from accuracy_assay.cli.attributes import parse_pairs
from accuracy_assay.domain.surface import AccuracySurface, Estimate
from accuracy_assay.errors import InputError

__all__ = ["answer"]


def answer(surface: AccuracySurface, where: Sequence[str], mix: Path | None) -> Estimate:
    """Return the accuracy for ``attribute=value`` pairs or a mix; of the pool for neither."""
    if where and mix is not None:
        raise InputError(
            f"a question must have conditions or a mix, not both; got {list(where)} and {mix}. "
            "Filter the mix instead."
        )
    if mix is not None:
        return surface.under(mix)
    return surface.at(**parse_pairs(where, surface.space)) if where else surface.overall
