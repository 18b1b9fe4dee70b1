"""The margin of each slice to the bar, by which every kind of check is judged.

Notation: Q slices (``study.gate.slices``), each with a margin x_q to the bar: accuracy minus the
bar; the largest gap allowed minus the gap of two values; the new accuracy minus the old one, plus
what may be lost. A check holds if no margin is below zero. Margins are known by their means (Q,)
and S joint draws (S, Q).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.study.compare.compare import compare_surfaces
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.study.compare.rate_draws import draw_arms
from accuracy_assay.study.gate import slices as slices_of
from accuracy_assay.study.gate.requirement import Requirement
from accuracy_assay.study.gate.slices import Slices

__all__ = ["WIDER", "Margins", "margins_of"]

_MOST_GAPS = 100
"""Most values of an attribute whose gaps are compared: more make 10,000 pairs, which nobody
reads."""
WIDER = 1.1
"""Factor by which spreads are widened before they are judged. The truth of whole pools and of
attribute values lay 1.02 to 1.06 standard deviations away, root mean square, and if nothing had
changed two surfaces differed by 0.82 to 1.04 (``benchmarks/gate_errors.py --spreads``, simulated
worlds at 300 and 1,000 labels and bbq at 500, 30 runs each). Unwidened, close verdicts would err
too often; a tenth is more than was seen."""


class _HasEnds(Protocol):
    """An estimate or a difference."""

    @property
    def lower(self) -> float: ...

    @property
    def upper(self) -> float: ...


@dataclass(frozen=True, eq=False)
class Margins:
    """Margin of each slice to its bar: means (Q,) and joint draws (S, Q).

    ``is_shown`` (Q,) says which slices must be shown to hold; the others are watched. ``number``
    turns a margin into what people read: an accuracy, a gap, a difference. ``interval`` returns
    both ends of that number for one slice, as the surface or the comparison says them. ``unit``
    (Q,) is the variance of one answer in each slice; of a gap, labels are half in each value.
    ``labels`` are those so far, per service if two have separate labels, and ``pool`` the number
    of pool rows.
    """

    slices: Slices
    mean: FloatArray
    draws: FloatArray
    is_shown: BoolArray
    number: Callable[[float], float]
    interval: Callable[[int], tuple[float, float]]
    unit: FloatArray
    labels: float
    pool: float | None
    is_gap: bool = False
    is_difference: bool = False
    is_of_two: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def noun(self) -> str:
        """What is counted: gaps are of pairs, each in both directions."""
        return "pairs of values" if self.is_gap else "slices"

    def count(self, which: BoolArray | None = None) -> int:
        """Return how many slices there are, or how many of ``which``."""
        n_slices = len(self.slices) if which is None else int(which.sum())
        return n_slices // 2 if self.is_gap else n_slices

    @cached_property
    def judged(self) -> FloatArray:
        """Draws for verdicts, widened about their means, (S, Q)."""
        return self.mean + WIDER * (self.draws - self.mean)

    @property
    def family(self) -> IntArray:
        """The family of each slice, which shares its error, (Q,).

        The whole and single values are one family, so that the many finer slices, which know
        little each, do not hide a drop of a value.
        """
        return np.maximum(self.slices.order, 1)


def margins_of(surface: AccuracySurface, asked: Requirement) -> Margins:
    """Return the margin of every slice that a requirement is about.

    Raises
    ------
    InputError
        If the surface lacks what the requirement names.
    """
    return _BUILDERS[asked.bar](surface, asked)


def _accuracy_margins(surface: AccuracySurface, asked: Requirement) -> Margins:
    slices = slices_of.whole(surface, asked.where, asked.under, asked.mix_name)
    return _above_bar(surface, slices, asked.limit)


def _slice_margins(surface: AccuracySurface, asked: Requirement) -> Margins:
    slices = slices_of.every_slice(surface, asked.order, asked.least_rows)
    return _above_bar(surface, slices, asked.limit)


def _above_bar(surface: AccuracySurface, slices: Slices, bar: float) -> Margins:
    mean, draws = _over(slices, surface.mean, draw_arms(surface, _rng()))
    return Margins(
        slices,
        mean - bar,
        draws - bar,
        np.ones(len(slices), dtype=bool),
        lambda margin: bar + margin,
        lambda q: _ends(surface.average(slices.share(q))),
        _coin(mean),
        surface.n_labels,
        _pool(surface),
    )


def _gap_margins(surface: AccuracySurface, asked: Requirement) -> Margins:
    """Return the margin of every ordered pair of values: the limit minus the gap."""
    mass = surface.mass(asked.where, asked.under)
    assert asked.between is not None
    each = slices_of.values(surface, asked.between, mass, asked.least_rows)
    if len(each) > _MOST_GAPS:
        raise InputError(
            f"between must name an attribute with at most {_MOST_GAPS} values; got "
            f"{asked.between!r} with {len(each)}. Group its values, or check no_slice_below."
        )
    mean, draws = _over(each, surface.mean, draw_arms(surface, _rng()))
    high, low = np.nonzero(~np.eye(len(each), dtype=bool))
    pairs = zip(high.tolist(), low.tolist(), strict=True)
    slices = Slices(
        [f"{each.names[i]} above {each.names[j]}" for i, j in pairs],
        each.weight[high] - each.weight[low],
        each.labels[high] + each.labels[low],
        each.rows[high] + each.rows[low],
        np.ones(high.size, dtype=np.int64),
        each.thin,
    )
    gap = draws[:, high] - draws[:, low]
    tail = (1.0 - surface.level) / 2.0
    return Margins(
        slices,
        asked.limit - (mean[high] - mean[low]),
        asked.limit - gap,
        np.ones(len(slices), dtype=bool),
        lambda margin: asked.limit - margin,
        lambda q: _pair(np.quantile(gap[:, q], [tail, 1.0 - tail])),
        2.0 * (_coin(mean)[high] + _coin(mean)[low]),
        surface.n_labels,
        _pool(surface),
        is_gap=True,
    )


def _loss_margins(surface: AccuracySurface, asked: Requirement) -> Margins:
    """Return the margin of the whole and what is watched: new minus old, plus the tolerance."""
    old = asked.old
    assert old is not None
    found = old if isinstance(old, Comparison) else compare_surfaces({"new": surface, "old": old})
    first, second = found.names[:2]
    new = found.surfaces[first]
    mass = new.mass(asked.where, asked.under)
    parts = [slices_of.whole(new, asked.where, asked.under, asked.mix_name)]
    if asked.between is not None:
        parts.append(slices_of.values(new, asked.between, mass, asked.least_rows))
    else:
        if not asked.every_arm:
            names = new.space.names
            parts += [slices_of.values(new, name, mass, asked.least_rows) for name in names]
        if asked.every_arm or len(new.space.names) > 1:
            parts.append(slices_of.arms(new, mass, asked.least_rows))
    slices = slices_of.joined(parts)
    mean, draws = found.between(first, second).draw(slices.weight)
    is_shown = np.ones(len(slices), dtype=bool)
    if asked.between is None and not asked.every_arm:
        is_shown[1:] = False
    between = found.between(first, second)
    each = [np.asarray(slices.weight @ found.surfaces[name].mean) for name in (first, second)]
    return Margins(
        slices,
        mean + asked.limit,
        draws + asked.limit,
        is_shown,
        lambda margin: margin - asked.limit,
        lambda q: _ends(between.over(slices.share(q))),
        _coin(each[0]) + _coin(each[1]),
        min(found.surfaces[name].n_labels for name in (first, second)),
        _pool(new),
        is_difference=True,
        is_of_two=not found.is_paired,
        remarks=_loss_remarks(found, surface, old),
    )


def _loss_remarks(
    found: Comparison, surface: AccuracySurface, old: AccuracySurface | Comparison
) -> tuple[str, ...]:
    if found.is_paired:
        return ("the same labels scored both services, so the difference is judged row by row",)
    said = (
        "judged as if the surfaces had separate labels; if they share labels, that is cautious",
    )
    if isinstance(old, Comparison) or _pool(surface) is None or _pool(old) is None:
        return said
    if np.array_equal(surface.arms, old.arms) and np.array_equal(surface.support, old.support):
        return said
    return (
        *said,
        "the surfaces describe the rows of different pools; to compare the rates behind them, "
        'make both with target="population"',
    )


def _coin(rate: FloatArray) -> FloatArray:
    """Return the variance of one answer that is right at a rate."""
    return np.asarray(rate * (1.0 - rate))


def _ends(of: _HasEnds) -> tuple[float, float]:
    return of.lower, of.upper


def _pair(ends: FloatArray) -> tuple[float, float]:
    return float(ends[0]), float(ends[1])


def _rng() -> np.random.Generator:
    """Return a generator with a fixed seed: one surface has one verdict."""
    return np.random.default_rng(0)


def _over(slices: Slices, mean: FloatArray, draws: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means (Q,) and draws (S, Q) of slices, given those of arms."""
    middle = np.asarray(slices.weight @ mean)
    drawn = np.asarray((slices.weight @ draws.T).T)
    return middle, drawn + (middle - drawn.mean(axis=0))


def _pool(surface: AccuracySurface) -> float | None:
    """Return the number of pool rows, if accuracies are those of these rows."""
    return float(surface.support.sum()) if surface.target == "pool" else None


_BUILDERS: Mapping[str, Callable[[AccuracySurface, Requirement], Margins]] = {
    "min": _accuracy_margins,
    "max_gap": _gap_margins,
    "no_slice_below": _slice_margins,
    "not_worse_than": _loss_margins,
}
