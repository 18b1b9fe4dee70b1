"""Services side by side: the same question to several surfaces, the best answer first.

Notation: m mean and s standard deviation of an answer, b the best one. Taken as independent, the
answers differ by a normal variable with mean ``m_b - m`` and variance ``s_b^2 + s^2``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot
from statistics import NormalDist

from accuracy_assay.domain.surface import AccuracySurface, Estimate
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows

__all__ = ["Place", "answer", "compare"]


@dataclass(frozen=True, slots=True)
class Place:
    """One service's place in a comparison.

    Parameters
    ----------
    name
        Name of the service.
    estimate
        Its accuracy for what was asked.
    behind, behind_lower, behind_upper
        How far it is behind the best service, and the interval of that difference at the level
        of ``estimate``; all zero for the best.
    """

    name: str
    estimate: Estimate
    behind: float
    behind_lower: float
    behind_upper: float


def compare(
    surfaces: Mapping[str, AccuracySurface],
    where: Mapping[str, object] | None = None,
    mix: Rows | None = None,
) -> list[Place]:
    """Return the services from best to worst for some arms, a mix, or the pool as it is.

    The difference to the best is judged as if the surfaces had been made from different labels,
    which is cautious where the same labels scored all of them.

    Parameters
    ----------
    surfaces
        Two or more surfaces by the name of their service.
    where
        Attribute values as in ``AccuracySurface.at``: one value or several per attribute.
    mix
        A client's own attribute mix as in ``AccuracySurface.under``; not beside ``where``.

    Returns
    -------
    list of Place
        One place per service, the best first.

    Raises
    ------
    InputError
        If there are fewer than two surfaces, both ``where`` and ``mix`` are given, or a surface
        does not have what they name.

    Examples
    --------
    >>> from accuracy_assay import estimate
    >>> import polars as pl
    >>> rows = pl.DataFrame({"sex": ["F", "M"] * 40, "good": [1] * 80, "poor": [0, 1] * 40})
    >>> surfaces = {
    ...     name: estimate(rows, ["sex"], name, estimator="beta-independent")
    ...     for name in ("poor", "good")
    ... }
    >>> [place.name for place in compare(surfaces, where={"sex": "F"})]
    ['good', 'poor']
    """
    if len(surfaces) < 2:
        raise InputError(f"surfaces must be two or more; got {list(surfaces)}.")
    found = {name: answer(surface, where, mix) for name, surface in surfaces.items()}
    ordered = sorted(found, key=lambda name: -found[name].mean)
    best = found[ordered[0]]
    return [_place(name, found[name], best) for name in ordered]


def answer(
    surface: AccuracySurface, where: Mapping[str, object] | None = None, mix: Rows | None = None
) -> Estimate:
    """Return the accuracy for attribute values or under a mix; of the whole pool for neither.

    Raises
    ------
    InputError
        If both are given, or the surface does not have what they name.
    """
    if where and mix is not None:
        raise InputError(
            f"a question must have conditions or a mix, not both; got {dict(where)} and a mix. "
            "Filter the mix instead."
        )
    if mix is not None:
        return surface.under(mix)
    return surface.at(**where) if where else surface.overall


def _place(name: str, estimate: Estimate, best: Estimate) -> Place:
    behind, reach = best.mean - estimate.mean, 0.0
    if estimate is not best:
        z = NormalDist().inv_cdf(0.5 + estimate.level / 2.0)
        reach = z * hypot(best.sd, estimate.sd)
    return Place(name, estimate, behind, behind - reach, behind + reach)
