"""The margin to the bar, place by place: what every kind of check is judged by.

Notation: Q places (``study.gate.places``), each with a margin x_q to the bar: accuracy less the
bar; the largest gap allowed less the gap of two values; the new accuracy less the old one, plus
what may be lost. What a check asks for holds where no margin is below zero. Margins are known by
their means (Q,) and S joint draws (S, Q).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.study.compare.compare import compare_surfaces
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.study.compare.differences import PairedDifferences
from accuracy_assay.study.compare.rate_draws import draw_arms
from accuracy_assay.study.gate import slices as places_of
from accuracy_assay.study.gate.requirement import Requirement
from accuracy_assay.study.gate.slices import Places

__all__ = ["WIDER", "Margins", "margins_of"]

_MOST_GAPS = 100
"""Values of an attribute whose gaps are compared: of more there are 10,000 pairs, and nobody reads
them."""
WIDER = 1.1
"""By how much spreads are widened before they are judged. The truth of whole pools and of values
of attributes lay 1.02 to 1.06 standard deviations away, root mean square, and where nothing had
changed two surfaces differed by 0.82 to 1.04 (``benchmarks/gate_errors.py --spreads``, made worlds
at 300 and 1,000 labels and bbq at 500, 30 runs each): taken at their word they would err too often
where it is close, and a tenth is more than was seen."""


@dataclass(frozen=True, eq=False)
class Margins:
    """Margin of each place to its bar: means (Q,) and joint draws (S, Q).

    ``is_shown`` (Q,) says which places must be shown to hold; the others are watched. ``number``
    turns a margin into what people read: an accuracy, a gap, a difference. ``labels`` are those so
    far, of each service where two have labels of their own, and ``pool`` the rows there are.
    """

    places: Places
    mean: FloatArray
    draws: FloatArray
    is_shown: BoolArray
    number: Callable[[float], float]
    labels: float
    pool: float | None
    is_gap: bool = False
    is_difference: bool = False
    is_of_two: bool = False
    remarks: tuple[str, ...] = ()

    @property
    def noun(self) -> str:
        """What the places are: gaps are of pairs, and of each pair in both directions."""
        return "pairs of values" if self.is_gap else "places"

    def count(self, which: BoolArray | None = None) -> int:
        """Return how many places there are, or how many of them."""
        n_places = len(self.places) if which is None else int(which.sum())
        return n_places // 2 if self.is_gap else n_places

    @cached_property
    def judged(self) -> FloatArray:
        """Draws as verdicts take them, spread more widely about their means, (S, Q)."""
        return self.mean + WIDER * (self.draws - self.mean)

    @property
    def family(self) -> IntArray:
        """Which share of the error each place draws on, (Q,).

        The whole and single values share one, so that a fall of a value is not hidden by the
        many arms or finer slices, which know little each.
        """
        return np.maximum(self.places.kind, 1)


def margins_of(surface: AccuracySurface, asked: Requirement) -> Margins:
    """Return the margin of every place that a requirement looks at.

    Raises
    ------
    InputError
        If the surface lacks what the requirement names.
    """
    return _BUILDERS[asked.bar](surface, asked)


def _accuracy_margins(surface: AccuracySurface, asked: Requirement) -> Margins:
    places = places_of.whole(surface, asked.where, asked.under, asked.mix_name)
    return _above_bar(surface, places, asked.limit)


def _slice_margins(surface: AccuracySurface, asked: Requirement) -> Margins:
    places = places_of.slices(surface, asked.order, asked.least_rows)
    return _above_bar(surface, places, asked.limit)


def _above_bar(surface: AccuracySurface, places: Places, bar: float) -> Margins:
    mean, draws = _over(places, surface.mean, draw_arms(surface, _rng()))
    return Margins(
        places,
        mean - bar,
        draws - bar,
        np.ones(len(places), dtype=bool),
        lambda margin: bar + margin,
        surface.n_labels,
        _pool(surface),
    )


def _gap_margins(surface: AccuracySurface, asked: Requirement) -> Margins:
    """Return the margin of every ordered pair of values: the limit less the gap."""
    mass = surface.mass(asked.where, asked.under)
    assert asked.between is not None
    each = places_of.values(surface, asked.between, mass, asked.least_rows)
    if len(each) > _MOST_GAPS:
        raise InputError(
            f"between must name an attribute of at most {_MOST_GAPS} values; got "
            f"{asked.between!r} with {len(each)}. Group its values, or check no_slice_below."
        )
    mean, draws = _over(each, surface.mean, draw_arms(surface, _rng()))
    high, low = np.nonzero(~np.eye(len(each), dtype=bool))
    pairs = zip(high.tolist(), low.tolist(), strict=True)
    places = Places(
        [f"{each.names[i]} above {each.names[j]}" for i, j in pairs],
        each.weight[high] - each.weight[low],
        each.labels[high] + each.labels[low],
        each.rows[high] + each.rows[low],
        np.ones(high.size, dtype=np.int64),
        each.thin,
    )
    return Margins(
        places,
        asked.limit - (mean[high] - mean[low]),
        asked.limit - (draws[:, high] - draws[:, low]),
        np.ones(len(places), dtype=bool),
        lambda margin: asked.limit - margin,
        surface.n_labels,
        _pool(surface),
        is_gap=True,
    )


def _loss_margins(surface: AccuracySurface, asked: Requirement) -> Margins:
    """Return the margin of the whole and of what is watched: new less old, plus the tolerance."""
    old = asked.old
    assert old is not None
    found = old if isinstance(old, Comparison) else compare_surfaces({"new": surface, "old": old})
    first, second = found.names[:2]
    new = found.surfaces[first]
    mass = new.mass(asked.where, asked.under)
    parts = [places_of.whole(new, asked.where, asked.under, asked.mix_name)]
    if asked.between is not None:
        parts.append(places_of.values(new, asked.between, mass, asked.least_rows))
    else:
        if not asked.every_arm:
            names = new.space.names
            parts += [places_of.values(new, name, mass, asked.least_rows) for name in names]
        if asked.every_arm or len(new.space.names) > 1:
            parts.append(places_of.arms(new, mass, asked.least_rows))
    places = places_of.joined(parts)
    mean, draws = _over(places, *_difference_draws(found, first, second))
    is_shown = np.ones(len(places), dtype=bool)
    if asked.between is None and not asked.every_arm:
        is_shown[1:] = False
    return Margins(
        places,
        mean + asked.limit,
        draws + asked.limit,
        is_shown,
        lambda margin: margin - asked.limit,
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
        return ("the same labels scored both services: the difference is judged row by row",)
    said = (
        "judged as if each surface had labels of its own; where they share labels, that is on "
        "the safe side",
    )
    if isinstance(old, Comparison) or _pool(surface) is None or _pool(old) is None:
        return said
    if np.array_equal(surface.arms, old.arms) and np.array_equal(surface.support, old.support):
        return said
    return (
        *said,
        "the surfaces are of different pools, and of these pools' own rows: to compare the rates "
        'behind them, make both with target="population"',
    )


def _rng() -> np.random.Generator:
    """Return randomness that is always the same: one surface has one verdict."""
    return np.random.default_rng(0)


def _over(places: Places, mean: FloatArray, draws: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means (Q,) and draws (S, Q) of places, given those of arms."""
    middle = np.asarray(places.weight @ mean)
    drawn = np.asarray((places.weight @ draws.T).T)
    return middle, drawn + (middle - drawn.mean(axis=0))


def _difference_draws(found: Comparison, first: str, second: str) -> tuple[FloatArray, FloatArray]:
    """Return mean (A,) and draws (S, A) of the first service's accuracy less the second's."""
    between = found.between(first, second)
    if isinstance(between, PairedDifferences):
        draws = np.zeros((between.draws.shape[0], between.mean.size))
        draws[:, between.at] = between.draws
        return between.mean, draws
    rng = _rng()
    # Each is shuffled: surfaces made with one seed would share their randomness.
    own, other = (draw_arms(found.surfaces[name], rng) for name in (first, second))
    size = (max(own.shape[0], other.shape[0]), own.shape[1])
    return between.mean, np.resize(own, size) - np.resize(other, size)


def _pool(surface: AccuracySurface) -> float | None:
    """Return the rows of the pool, where the accuracy asked for is that of these rows."""
    is_pool = surface.details.get("target") == "pool"
    return float(surface.support.sum()) if is_pool else None


_BUILDERS: Mapping[str, Callable[[AccuracySurface, Requirement], Margins]] = {
    "min": _accuracy_margins,
    "max_gap": _gap_margins,
    "no_slice_below": _slice_margins,
    "not_worse_than": _loss_margins,
}
