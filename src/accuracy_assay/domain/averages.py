"""Averages over arms: how much each arm counts, and what the average is.

Notation: A listed arms. The mass of an arm, (A,), is how much it counts: its pool rows, one, or
its weight in a client's mix; zero where conditions exclude the arm. Averages take their spread
from joint draws (S, A) if there are any; without draws, arms count as independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from accuracy_assay.domain.doubt import Doubt
from accuracy_assay.domain.factored_arms import FactoredArms, OtherOverall, interval_by_draws
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.tables import Rows, read_table, require_columns
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.numerics.intervals.weighted_sum import Interval
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.number_text import count_text

__all__ = [
    "Draws",
    "Estimate",
    "JointArms",
    "ListedArms",
    "Mix",
    "Target",
    "about_words",
    "arm_mass",
    "average",
    "averages",
    "averages_by",
    "check_mix",
    "members_by",
    "target_of",
]

Draws = npt.NDArray[np.float32]
_WEIGHTS_AT_ONCE = 2**22
"""Weights held in memory at once: 32 MB, a few times over."""
_WEIGHTS = ("count", "freq", "frequency", "mass", "n", "number", "probability", "rows", "share")
"""Other words for a weight."""
_SAFE = 1e-100, 1e100
"""Weights within this range can be summed and multiplied as they are."""
_ALIKE = 0.75
"""How alike a misspelled name and the one that is meant are, from 0 to 1."""
_ROUNDING = 1e-9
"""Of a share: shares that differ by less are the same."""
Mix: TypeAlias = Rows | Literal["equal"] | None
"""Whose average it is: None for the pool as it is, ``equal`` to weight each combination equally,
or a table of a client's own rows or weights."""


Target: TypeAlias = Literal["pool", "population", "mix"]
"""What a number is about: the pool's own rows, rows like them, or a client's mix."""


class ListedArms(Protocol):
    """What averages need to know about a surface."""

    @property
    def space(self) -> AttributeSpace:
        """The attribute space."""

    @property
    def arms(self) -> IntArray:
        """Listed arms, (A,)."""

    @property
    def n(self) -> FloatArray:
        """Labels of each arm, (A,)."""

    @property
    def correct(self) -> FloatArray:
        """Sum of the agreement of each arm's labels, (A,)."""

    @property
    def support(self) -> FloatArray:
        """Pool rows of each arm, (A,)."""

    @property
    def mean(self) -> FloatArray:
        """Posterior mean of each arm, (A,)."""

    @property
    def sd(self) -> FloatArray:
        """Posterior standard deviation of each arm, (A,)."""

    @property
    def lower(self) -> FloatArray:
        """Lower end of each interval, (A,)."""

    @property
    def upper(self) -> FloatArray:
        """Upper end of each interval, (A,)."""

    @property
    def level(self) -> float:
        """Probability of the intervals."""

    @property
    def details(self) -> Mapping[str, Any]:
        """How the surface was made."""

    @property
    def joint_draws(self) -> Draws | None:
        """Joint posterior draws (S, A), None if arms are independent."""

    @property
    def joint(self) -> JointArms | None:
        """What computes averages without draws, None if nothing does."""


class JointArms(Protocol):
    """The part of the arms' joint posterior that averages need."""

    @property
    def doubt(self) -> Doubt | None:
        """What other calibrations of guessed attributes would say, None if nobody knows."""

    def intervals(self, weight: FloatArray, level: float) -> Sequence[Interval]:
        """Return the intervals of averages, one per row of ``weight`` (m, A)."""

    def factored(self) -> FactoredArms | None:
        """Return what a file keeps of it, None if a file keeps draws instead."""

    def other_overall(self, level: float) -> OtherOverall | None:
        """Return the overall accuracy for the other target, None if it is not known."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The accuracy of one arm or of an average of arms, with its central interval.

    ``n`` labels and ``support`` rows are behind it; ``target`` says whose accuracy it is.
    """

    mean: float
    sd: float
    lower: float
    upper: float
    level: float
    n: float
    support: float
    target: Target = "population"

    @property
    def about(self) -> str:
        """What the number is about, in words."""
        return about_words(self.target, self.support)

    @property
    def figure(self) -> str:
        """The number with its interval and what it is about, in words."""
        return (
            f"{self.mean:.1%} {self.about} ({self.level:.0%} interval {self.lower:.1%} to "
            f"{self.upper:.1%})"
        )

    def __str__(self) -> str:
        rows = "" if self.target == "pool" else f", {count_text(self.support)} rows"
        return f"{self.figure[:-1]}; {count_text(self.n)} labels{rows})"


def about_words(target: Target, rows: float) -> str:
    """Return what a number is about, in the one way that all outputs say it."""
    if target == "pool":
        return f"of these {count_text(rows)} rows"
    return "of rows like these" if target == "population" else "under this mix"


def target_of(of: ListedArms) -> Target:
    """Return what a surface's numbers are about.

    An estimator that says nothing estimates rates: they are those of rows like the pool's.
    """
    return "pool" if of.details.get("target") == "pool" else "population"


def arm_mass(
    of: ListedArms, where: Mapping[str, object] | None = None, mix: Mix = None
) -> FloatArray:
    """Return how much each listed arm counts under conditions and a mix, shape (A,).

    Parameters
    ----------
    of
        The arms.
    where
        Attribute values, one or several per attribute; other arms count for nothing.
    mix
        Whose average it is. Attributes missing from a table keep the pool's composition.

    Raises
    ------
    InputError
        If a name or value is unknown, an arm of the mix is not listed, or a weight is negative or
        not a number.
    """
    if mix is None:
        mass = of.support
    elif isinstance(mix, str) and mix == "equal":
        mass = np.asarray(of.support > 0.0, dtype=np.float64)
    else:
        mass = _mass_of_table(of, mix)
    return np.where(of.space.matches(of.arms, where), mass, 0.0) if where else mass


def average(of: ListedArms, listed: IntArray, weight: FloatArray) -> Estimate:
    """Average the arms at positions ``listed``; equally if all weights are zero."""
    return averages(of, [listed], [weight])[0]


def averages(
    of: ListedArms, groups: Sequence[IntArray], weights: Sequence[FloatArray]
) -> list[Estimate]:
    """Average several groups of arms, each as `average` does."""
    shares = [_share(listed, weight) for listed, weight in zip(groups, weights, strict=True)]
    found: list[Interval] = []
    if of.joint is None:
        found = [_interval(of, listed, share) for listed, share in shares]
    else:
        at_once = max(_WEIGHTS_AT_ONCE // max(of.arms.size, 1), 1)
        for start in range(0, len(shares), at_once):
            part = shares[start : start + at_once]
            whole = np.zeros((len(part), of.arms.size))
            for row, (listed, share) in zip(whole, part, strict=True):
                row[listed] = share
            found += of.joint.intervals(whole, of.level)
    return [
        _estimate(of, listed, share, interval)
        for (listed, share), interval in zip(shares, found, strict=True)
    ]


def _share(listed: IntArray, weight: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the arms that count, and their shares, which sum to one."""
    if weight.sum() > 0.0:
        listed, weight = listed[weight > 0.0], weight[weight > 0.0]
    else:
        weight = np.ones(listed.size)
    return listed, weight / weight.sum()


def _estimate(of: ListedArms, listed: IntArray, share: FloatArray, interval: Interval) -> Estimate:
    n, support = float(of.n[listed].sum()), float(of.support[listed].sum())
    target = _target(of, listed, share, support)
    if listed.size == 1:
        i = int(listed[0])
        ends = float(of.lower[i]), float(of.upper[i])
        return Estimate(float(of.mean[i]), float(of.sd[i]), *ends, of.level, n, support, target)
    mean = float(share @ of.mean[listed])
    lower, upper, sd = interval
    lower, upper = min(max(lower, 0.0), mean), max(min(upper, 1.0), mean)
    return Estimate(mean, sd, lower, upper, of.level, n, support, target)


def _target(of: ListedArms, listed: IntArray, share: FloatArray, support: float) -> Target:
    """Return what an average is about: a mix, if arms do not count by their pool rows."""
    if not support > 0.0:
        return "population"
    is_pool = np.allclose(share, of.support[listed] / support, rtol=_ROUNDING, atol=_ROUNDING)
    return target_of(of) if is_pool else "mix"


def averages_by(of: ListedArms, names: Sequence[str], mass: FloatArray) -> pl.DataFrame:
    """Return the average for each combination of values with positive mass.

    Columns: the attributes ``names``, then n, support, mean, sd, lower, upper.
    """
    part, occupied, members = members_by(of, names, mass)
    rows = averages(of, members, [mass[listed] for listed in members])
    fields = ("n", "support", "mean", "sd", "lower", "upper")
    return part.frame(occupied).with_columns(
        pl.Series(f, [getattr(row, f) for row in rows], dtype=pl.Float64) for f in fields
    )


def members_by(
    of: ListedArms, names: Sequence[str], mass: FloatArray
) -> tuple[AttributeSpace, IntArray, list[IntArray]]:
    """Return the combinations of values with positive mass, and the arms of each.

    Returns
    -------
    tuple
        The space of the attributes ``names``, its occupied arms, and for each of them the
        positions of the listed arms that it covers.
    """
    part, group = _project(of.space, of.arms, names)
    used = np.flatnonzero(mass > 0.0)
    used = used[np.argsort(group[used], kind="stable")]
    occupied, starts = np.unique(group[used], return_index=True)
    return part, occupied, np.split(used, starts[1:]) if occupied.size else []


def _interval(of: ListedArms, listed: IntArray, share: FloatArray) -> Interval:
    """Return the interval of an average by draws, or of independent arms."""
    from statistics import NormalDist

    if listed.size == 1:
        return 0.0, 0.0, 0.0  # unused: the arm's own interval counts
    draws, mean = of.joint_draws, float(share @ of.mean[listed])
    if draws is None:
        sd = float(np.sqrt(np.sum((share * of.sd[listed]) ** 2)))
        reach = NormalDist().inv_cdf(0.5 + of.level / 2.0) * sd
        return mean - reach, mean + reach, sd
    weight = np.zeros(of.arms.size)
    weight[listed] = share
    return interval_by_draws(draws, weight, mean, of.level)


def check_mix(space: AttributeSpace, arms: IntArray | None, mix: Rows) -> None:
    """Raise what a question under a mix would; ``arms`` are the pool's, None where not known."""
    part, frame = _read_mix(space, mix)
    wanted, _ = _combinations(space, part, frame)
    if arms is not None:
        _require_listed(part, wanted, _project(space, arms, part.names)[1])


def _mass_of_table(of: ListedArms, mix: Rows) -> FloatArray:
    """Return the weight of each listed arm under a client's table, shape (A,)."""
    part, frame = _read_mix(of.space, mix)
    wanted, mass = _combinations(of.space, part, frame)
    _, group = _project(of.space, of.arms, part.names)
    _require_listed(part, wanted, group)
    used = np.flatnonzero(np.isin(group, wanted))
    member = np.searchsorted(wanted, group[used])
    weight = np.zeros(of.arms.size)
    weight[used] = mass[member] * _shares(of.support[used], member, wanted.size)
    return weight


def _read_mix(space: AttributeSpace, mix: Rows) -> tuple[AttributeSpace, pl.DataFrame]:
    """Return the attributes that a mix has, and its table."""
    frame = read_table(mix, what="mix")
    names = [name for name in space.names if name in frame.columns]
    if not names:
        require_columns(frame, space.names, what="mix")
    _refuse_unknown(space, frame)
    return AttributeSpace(tuple(space.attribute(name) for name in names)), frame


def _combinations(
    space: AttributeSpace, part: AttributeSpace, frame: pl.DataFrame
) -> tuple[IntArray, FloatArray]:
    """Return the combinations of values that a mix names, and the weight of each, (m,)."""
    wanted, inverse = np.unique(part.arm_index(part.encode(frame)), return_inverse=True)
    weight = _table_weight(space, frame)
    return wanted, sum_by_group(inverse.astype(np.int64), weight, wanted.size)


def _require_listed(part: AttributeSpace, wanted: IntArray, group: IntArray) -> None:
    missing = np.setdiff1d(wanted, group)
    if missing.size:
        raise InputError(
            f"mix must use listed arms; got {part.describe(int(missing[0]))!r}, which has no pool "
            "row."
        )


def _refuse_unknown(space: AttributeSpace, frame: pl.DataFrame) -> None:
    """Raise an error for a column that a mix would ignore although it seems to be meant.

    It does if it reads like a name that the table lacks, or like another word for a weight. Any
    other column is one of a client's own rows.
    """
    known = [*space.names, "weight"]
    lacking = [name for name in known if name not in frame.columns]
    for name in frame.columns:
        is_weight = name.lower() in _WEIGHTS and "weight" in lacking
        is_near = bool(get_close_matches(name.lower(), lacking, n=1, cutoff=_ALIKE))
        if name not in known and (is_weight or is_near):
            raise UnknownNameError("column of mix", name, known, "Rename it, or drop it.")


def _table_weight(space: AttributeSpace, frame: pl.DataFrame) -> FloatArray:
    if "weight" not in frame.columns or "weight" in space.names:
        return np.ones(frame.height)
    column = frame.get_column("weight")
    if not column.dtype.is_numeric():
        raise InputError(f"weight of mix must be a number; got {column.dtype}.")
    weight = column.cast(pl.Float64).to_numpy()
    if not (np.isfinite(weight).all() and (weight >= 0.0).all() and weight.max() > 0.0):
        raise InputError(
            "weights of mix must be finite, at least 0 and not all 0; got "
            f"{weight.min()} to {weight.max()}."
        )
    most = float(weight.max())
    # Only ratios count. Numbers near the ends of their range are scaled, so that sums stay in it.
    return weight if _SAFE[0] < most < _SAFE[1] else np.asarray(weight / most)


def _shares(support: FloatArray, group: IntArray, n_groups: int) -> FloatArray:
    """Share of each arm in its group, by pool rows; equal if the pool has none of the group."""
    size = sum_by_group(group, support, n_groups)[group]
    members = sum_by_group(group, np.ones(support.size), n_groups)[group]
    is_there = size > 0.0
    return np.where(is_there, support / np.where(is_there, size, 1), 1 / members)


def _project(
    space: AttributeSpace, arms: IntArray, names: Sequence[str]
) -> tuple[AttributeSpace, IntArray]:
    """Return the space of some attributes, and the arm of it that each given arm belongs to."""
    part = AttributeSpace(tuple(space.attribute(name) for name in names))
    columns = [space.names.index(name) for name in names]
    return part, part.arm_index(space.codes(arms)[:, columns])
