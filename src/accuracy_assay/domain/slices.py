"""Weak slices: parts of the attribute space that are clearly weaker than the whole.

A slice names values of a few attributes and leaves the others open: "accent = german and
digit = 7" is every pool row with both. Arms of one weak slice share its fault, so that a slice
says in one line what fifteen arms of a list of the worst would.

Notation: A listed arms with pool rows w_a and accuracy rho_a, known by S joint draws. The bar b is
a given accuracy or the overall accuracy minus a margin, draw by draw. What a set of arms C misses
of the bar is

    missed(C) = sum over a in C of w_a (b - rho_a)        in pool rows, negative where C is above

and a slice is weak in a draw where missed(C) > 0. Slices are taken greedily, the most missed in
expectation first. Arms of slices already taken count no more, so that overlapping slices are told
as one, and a slice is new only where its remaining arms are most of it and weak by themselves;
one that lies inside a taken slice is measured by that slice and must be much weaker than it.
False discoveries are controlled over everything that was searched: the reported slices' mean
probability of not being weak stays at or below ``fdr`` (Newton et al., 2004).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from accuracy_assay.domain.averages import Estimate, ListedArms
from accuracy_assay.domain.own_effect import with_own_effect
from accuracy_assay.domain.space import Value
from accuracy_assay.domain.subcubes import SubCubes, sub_cubes
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.visible_text import visible_text

__all__ = ["WeakSlice", "WeakSlices", "find_weak_slices"]

_NEW_SHARE = 0.5
"""Share of a slice's pool rows that no slice before it may have: with less it is the other slice
told again."""
_DEEPER = 0.2
"""By how much a slice inside one that is told must be weaker than it to be told as well. Chosen on
15 made worlds, of which it took power from 82 to 87 % at 4.1 instead of 3.3 slices each; with 0.15
they were 89 % and 5.1."""
_THIN_LABELS = 10
"""Labels below which a slice rests on what its neighbours say more than on its own: their
binomial interval is wider than half of all there is to know."""
_LEAST_CHANCE = 0.8
"""Posterior probability that any reported slice must have of being weak: the mean alone would let
a coin flip in behind ten sure ones."""
_MADE_DRAWS = 512
"""Draws of arms that are independent, as many as the default estimator keeps of its own."""


@dataclass(frozen=True, slots=True)
class WeakSlice:
    """A part of the space that is clearly weaker than the whole.

    Parameters
    ----------
    where
        The attribute values that make the slice.
    estimate
        Its accuracy over the pool as it is. It may differ a little from `AccuracySurface.at`: a
        slice that was chosen for being weak may have an effect of its own.
    chance_below
        Posterior probability that its accuracy is below the bar; of rates of errors, above it.
    is_error
        Whether the numbers are rates of errors, of which less is better.
    """

    where: dict[str, Value]
    estimate: Estimate
    chance_below: float
    is_error: bool = False

    @property
    def name(self) -> str:
        """The slice in words, such as ``accent = german and digit = 7``."""
        return " and ".join(
            f"{visible_text(name)} = {visible_text(str(value))}"
            for name, value in self.where.items()
        )

    @property
    def wrong(self) -> float:
        """Pool rows of the slice that are expected to go wrong."""
        wrong = self.estimate.mean if self.is_error else 1.0 - self.estimate.mean
        return self.estimate.support * wrong

    @property
    def is_thin(self) -> bool:
        """Whether the slice has so few labels of its own that it rests on its neighbours."""
        return self.estimate.n < _THIN_LABELS


@dataclass(frozen=True, slots=True)
class WeakSlices:
    """Weak slices of a surface, most pool rows that go wrong first.

    Parameters
    ----------
    found
        The slices.
    bar
        Accuracy below which a slice is weak: the mean over draws, where the bar hangs on the
        overall accuracy.
    searched
        Slices that were looked at.
    fdr
        Share of the slices that may be none.
    is_error
        Whether the numbers are rates of errors, which are weak where they are above the bar.
    """

    found: tuple[WeakSlice, ...]
    bar: float
    searched: int
    fdr: float
    is_error: bool = False

    @property
    def side(self) -> str:
        """On which side of the bar weak slices are: ``below``, or ``above`` of rates of errors."""
        return "above" if self.is_error else "below"

    def __iter__(self) -> Iterator[WeakSlice]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def to_frame(self) -> pl.DataFrame:
        """Return one row per slice.

        Columns: slice, mean, sd, lower, upper, chance_below, n, support, wrong, is_thin.
        """
        numbers = ("mean", "sd", "lower", "upper", "n", "support")
        columns: dict[str, pl.Series] = {
            "slice": pl.Series([each.name for each in self.found], dtype=pl.String),
            **{
                name: pl.Series([getattr(e.estimate, name) for e in self.found], dtype=pl.Float64)
                for name in numbers
            },
            "chance_below": pl.Series([e.chance_below for e in self.found], dtype=pl.Float64),
            "wrong": pl.Series([e.wrong for e in self.found], dtype=pl.Float64),
            "is_thin": pl.Series([e.is_thin for e in self.found], dtype=pl.Boolean),
        }
        order = ("slice", *numbers[:4], "chance_below", "n", "support", "wrong", "is_thin")
        return pl.DataFrame({name: columns[name] for name in order})


def find_weak_slices(
    of: ListedArms,
    below: float | None = None,
    *,
    margin: float = 0.05,
    order: int = 3,
    fdr: float = 0.1,
    least_rows: float = 20.0,
) -> WeakSlices:
    """Search every slice of up to ``order`` attributes for those that are weak.

    Parameters
    ----------
    of
        The surface.
    below
        Accuracy below which a slice is weak; by default the overall accuracy minus ``margin``. Of
        a surface of rates of errors it is weak above, and above the overall rate plus ``margin``.
    margin
        How much weaker than the whole a slice must be to be worth a line.
    order
        Most attributes that a slice names.
    fdr
        Expected share of the reported slices that may be none.
    least_rows
        Pool rows that a slice must have.

    Raises
    ------
    InputError
        If a number is none of its kind.
    """
    _check(below, margin, order, fdr, least_rows)
    weight = of.support
    if not weight.sum() > 0.0:
        return WeakSlices((), float("nan") if below is None else below, 0, fdr)
    draws = _arm_draws(of)
    overall = draws @ (weight / weight.sum())
    is_error = bool(of.details.get("is_error"))
    sign = -1.0 if is_error else 1.0
    bar = overall - sign * margin if below is None else np.full(overall.shape, below)
    cubes = sub_cubes(of.space, of.arms, weight, order, least_rows)
    taken = _take(cubes, sign * draws.T, sign * bar, weight, fdr)
    found = [_read(of, cubes, each, draws, bar) for each in taken]
    found.sort(key=lambda each: -each.wrong)
    mean_bar = float(bar.mean()) if below is None else below
    return WeakSlices(tuple(found), mean_bar, len(cubes), fdr, is_error)


def _take(
    cubes: SubCubes, draws: FloatArray, bar: FloatArray, weight: FloatArray, fdr: float
) -> list[int]:
    """Return the slices that are taken; ``draws`` (A, S) and ``bar`` (S,) are low where weak."""
    missed = weight[:, None] * (bar - draws)
    live = cubes.part(np.flatnonzero(cubes.sums(missed.mean(axis=1)) > 0.0))
    whole = live.chance_positive(missed)
    is_likely = whole >= _LEAST_CHANCE
    live, whole = live.part(np.flatnonzero(is_likely)), whole[is_likely]
    size = live.sums(weight)
    n_told = np.zeros(weight.size, dtype=np.int64)
    taken: list[int] = []
    chances: list[float] = []
    while len(live):
        untold = np.flatnonzero(n_told == 0)
        missing, news = live.sums(missed[untold], untold), live.sums(weight[untold], untold)
        for each in taken:
            inner, told = live.inside(each), np.flatnonzero(live.members(each) & (n_told == 1))
            level = weight[told] @ draws[told] / max(weight[told].sum(), 1.0) - _DEEPER
            deeper = weight[told, None] * (level - draws[told])
            missing[inner] = live.part(inner).sums(deeper, told)
            news[inner] = live.part(inner).sums(weight[told], told)
        chance = np.minimum(whole, np.mean(missing > 0.0, axis=1))
        expected = missing.mean(axis=1)
        is_sure = (sum(chances) + chance) / (len(chances) + 1) >= 1.0 - fdr
        is_fit = is_sure & (chance >= _LEAST_CHANCE) & (news >= _NEW_SHARE * size)
        is_fit &= expected > 0.0
        is_fit[taken] = False
        if not is_fit.any():
            break
        best = int(np.argmax(np.where(is_fit, expected, -np.inf)))
        taken.append(best)
        chances.append(float(chance[best]))
        n_told[live.members(best)] += 1
    return [int(live.index[each]) for each in taken]


def _read(
    of: ListedArms, cubes: SubCubes, index: int, draws: FloatArray, bar: FloatArray
) -> WeakSlice:
    """Return what is known of a slice that was taken, its own labels heard once more."""
    listed = np.flatnonzero(cubes.members(index))
    weight = of.support[listed]
    drawn = with_own_effect(of, listed, draws[:, listed] @ (weight / weight.sum()))
    tail = (1.0 - of.level) / 2.0
    lower, upper = np.clip(np.quantile(drawn, [tail, 1.0 - tail]), 0.0, 1.0)
    mean = float(np.clip(drawn.mean(), lower, upper))
    n = float(of.n[listed].sum())
    estimate = Estimate(
        mean, float(drawn.std()), float(lower), float(upper), of.level, n, float(weight.sum())
    )
    is_error = bool(of.details.get("is_error"))
    chance = float(np.mean(drawn > bar if is_error else drawn < bar))
    return WeakSlice(cubes.where(index), estimate, chance, is_error)


def _arm_draws(of: ListedArms) -> FloatArray:
    """Return draws of the arms (S, A) whose means are the arms' own, as averages take them."""
    drawn = of.joint_draws
    if drawn is None:
        # Seeded, so that one surface always tells the same slices.
        rng = np.random.default_rng(0)
        draws = of.mean + of.sd * rng.standard_normal((_MADE_DRAWS, of.arms.size))
    else:
        draws = drawn.astype(np.float64)
    return np.asarray(draws + (of.mean - draws.mean(axis=0)))


def _check(below: float | None, margin: float, order: int, fdr: float, least_rows: float) -> None:
    if below is not None and not 0.0 < below <= 1.0:
        raise InputError(f"below must lie between 0 and 1; got {below}. Write 80 % as 0.8.")
    if not 0.0 <= margin < 1.0:
        raise InputError(f"margin must lie in [0, 1); got {margin}. Write 5 % as 0.05.")
    if order < 1:
        raise InputError(f"order must be at least 1 attribute; got {order}.")
    if not 0.0 < fdr < 1.0:
        raise InputError(f"fdr must lie between 0 and 1; got {fdr}. Write 10 % as 0.1.")
    if not least_rows > 0.0:
        raise InputError(f"least_rows must be more than 0; got {least_rows}.")
