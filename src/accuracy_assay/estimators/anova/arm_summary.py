"""From the posterior of cells to the accuracy of arms: means, deviations, intervals, draws.

Notation: arm a has cells z with N_az pool rows, n_az of them labelled with agreement sum c_az, and
u_az = N_az - n_az not. Under ``target`` pool its accuracy is

    (sum_z c_az + sum_z sum over the u_az rows of a coin of rate rho_az) / N_a

so the mean is linear in E[rho] and the variance is w' Cov(rho) w + noise, w_z = u_az / N_a,
noise = sum_z u_az E[rho (1 - rho)] phi / N_a^2 with the dispersion phi. Under ``population``
w_z = N_az / N_a and there is no noise.

Near 1, labels that are all right cannot say how near: 99% and 99.9% look the same. What would end
the interval there is the tail of a normal logit, which real arms do not keep to
(docs/decisions/0004). So it ends at 1, and all that may be missed lies below it; near 0 likewise.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import expit

from accuracy_assay.domain.doubt import Doubt
from accuracy_assay.errors import InputError
from accuracy_assay.estimators.anova.model import AnovaModel
from accuracy_assay.estimators.anova.other_arms import doubt_of
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.numerics.intervals.lattice import fewest_right, lattice_interval
from accuracy_assay.numerics.intervals.logit_normal import logit_normal_interval, match_moments
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["MOST_DRAWN_ARMS", "ArmSummary", "summarise"]


_DRAWS = 512  # a quantile at 5% is one at 4 to 6%; a surface's file grows with them
# Most arms with joint draws. Bounds memory: the draws of 200,000 arms take 0.4 GB in a file, and
# twice that while they are made, some arms at a time.
MOST_DRAWN_ARMS = 200_000
_ARMS_AT_ONCE = 16_384
_CHUNK = 2048  # cells at a time; bounds memory: with 20,000 cells a block takes 0.3 GB
_PADDING = 4  # classes of arms by their cells: 1, to 4, to 16, ...; each is compiled separately
# An arm whose rows are all labelled has zero of both, which would make 0 / 0.
_LEAST_VARIANCE, _LEAST_TRIALS = 1e-18, 1e-9
Random = np.random.Generator
_EDGE = 1e-9  # rates stay this far from 0 and 1, where beta draws are not defined
_NEAR_ONE = 0.85  # an interval above it is near 1, as in ``metrics.interval_classes``
_ROUNDING = 1e-9  # of a number of labels


@dataclass(frozen=True)
class ArmSummary:
    """Posterior summaries over the listed arms, (A,) each, and the weights that made them."""

    mean: FloatArray
    sd: FloatArray
    lower: FloatArray
    upper: FloatArray
    in_pool: IntArray
    weight: FloatArray
    noise: FloatArray
    details: Mapping[str, Any]
    doubt: Doubt | None = None

    def draw(self, model: AnovaModel, rng: np.random.Generator) -> npt.NDArray[np.float32]:
        """Return joint draws of the arms: rates of their cells, and coins of rows without label.

        Raises
        ------
        InputError
            If the pool has so many arms that their draws would not fit into memory.
        """
        support = model.support
        if support.arms.size > MOST_DRAWN_ARMS:
            raise InputError(
                f"joint draws must be of a pool with at most {MOST_DRAWN_ARMS:,} arms; got "
                f"{support.arms.size:,}. Estimates of arms and averages still work (`to_frame`, "
                "`worst`, `overall`, `at`, `marginal`); for weak slices, and to save or report "
                "the surface, group the values of an attribute or use fewer attributes."
            )
        m, spread = match_moments(self.mean, self.sd**2)
        # Arms outside the pool are independent; those of the pool are overwritten below.
        drawn = np.empty((_DRAWS, self.mean.size), np.float32)
        for part in _parts(self.mean.size):
            z = rng.standard_normal((_DRAWS, m[part].size))
            z *= spread[part]
            z += m[part]
            drawn[:, part] = expit(z.astype(np.float32))
        every = np.arange(support.cells.size)
        gather = csr_array((self.weight, (support.arm_of_cell, every)))
        share = np.maximum(gather.sum(axis=1), _LEAST_TRIALS)
        known = self.mean[self.in_pool] - gather @ model.moments[0]
        rates = model.draw(_DRAWS, rng)
        for part in _parts(support.arms.size):
            mixed = (gather[part] @ rates.T).T / share[part]
            rate = np.clip(mixed, _EDGE, 1.0 - _EDGE)
            flipped = known[part] + share[part] * _flip(rate, share[part], self.noise[part], rng)
            drawn[:, self.in_pool[part]] = np.clip(flipped, 0.0, 1.0)
        if self.doubt is not None:
            away = self.doubt.directions(_DRAWS).astype(np.float32) @ self.doubt.shift
            drawn = np.clip(drawn + away, 0.0, 1.0)
        return drawn


def _parts(n_arms: int) -> list[slice]:
    """Return parts of the arms whose draws fit into memory."""
    return [slice(start, start + _ARMS_AT_ONCE) for start in range(0, n_arms, _ARMS_AT_ONCE)]


def _flip(rate: FloatArray, share: FloatArray, noise: FloatArray, rng: Random) -> FloatArray:
    """Return rates with the coins of the rows without a label, as Beta draws, (S, A).

    Their mean is the rate, their variance that of the coins.
    """
    has_coins = np.flatnonzero(noise > 0.0)
    chance = rate[:, has_coins]
    coins = share[has_coins] ** 2 * np.mean(chance * (1.0 - chance), axis=0)
    trials = np.maximum(coins / noise[has_coins] - 1.0, _LEAST_TRIALS)
    flipped = rate.copy()
    flipped[:, has_coins] = rng.beta(chance * trials, (1.0 - chance) * trials)
    return flipped


def summarise(model: AnovaModel, level: float) -> ArmSummary:
    """Return the summaries of every listed arm."""
    support = model.support
    listed = support.listed_arms
    in_pool = np.searchsorted(listed, support.arms)
    arm = support.arm_of_cell
    n_arms = support.arms.size
    rate, spread = model.moments
    counts = model.rows.on_cells(support.cells)
    n, y = (counts.n, counts.y) if support.is_pool else (0.0 * counts.n, 0.0 * counts.y)
    free = np.maximum(support.size - n, 0.0)
    total = sum_by_group(arm, n + free, n_arms)
    weight = free / total[arm]
    mean = sum_by_group(arm, y + free * rate, n_arms) / total
    listed_mean = np.zeros(listed.size)
    listed_mean[in_pool] = mean
    doubt = doubt_of(model, listed_mean, in_pool)
    rate_variance = _rate_variance(model, weight)
    if doubt is not None:
        rate_variance = rate_variance + doubt.arm_variance[in_pool]
    coin = np.maximum(rate * (1.0 - rate) - spread, 0.0) * model.rows.dispersion
    noise = sum_by_group(arm, free * coin, n_arms) / total**2 * support.is_pool
    deviation = np.sqrt(rate_variance + noise)
    trials = sum_by_group(arm, free, n_arms)
    settled = sum_by_group(arm, y, n_arms)
    coins = None
    if support.is_pool and model.rows.has_coin_scores:
        some = np.maximum(trials, _LEAST_TRIALS)
        coins = _Coins(
            (total * mean - settled) / some,
            rate_variance * (total / some) ** 2,
            noise * total**2,
            trials,
        )
        low, high = lattice_interval(*coins, level)
        lower, upper = (settled + low) / total, (settled + high) / total
    else:
        lower, upper = logit_normal_interval(mean, deviation**2, level)
    labelled, right = (sum_by_group(arm, part, n_arms) for part in (counts.n, counts.y))
    is_high = (lower > _NEAR_ONE) & (upper < 1.0) & _are_all(right, labelled)
    is_low = (upper < 1.0 - _NEAR_ONE) & (lower > 0.0) & _are_all(labelled - right, labelled)
    for at, is_one in ((np.flatnonzero(is_high), True), (np.flatnonzero(is_low), False)):
        if coins is None:
            end = _one_sided(mean[at], deviation[at], level, is_one=is_one)
        else:
            end = (settled[at] + coins.at(at).one_sided(level, is_one=is_one)) / total[at]
        lower[at], upper[at] = (end, 1.0) if is_one else (0.0, end)
    columns = _elsewhere(model, listed, level)
    for column, values in zip(columns, (mean, deviation, lower, upper), strict=True):
        column[in_pool] = values
    active = support.is_active
    expected = 100.0 * float(np.mean(deviation[active] ** 2)) if active.any() else float("nan")
    clipped = np.clip(columns, 0.0, 1.0)
    return ArmSummary(
        clipped[0],
        clipped[1],
        clipped[2],
        clipped[3],
        in_pool,
        weight,
        noise,
        {
            "target": "pool" if support.is_pool else "population",
            "expected_macro_mse": expected if np.isfinite(expected) else None,
        },
        doubt,
    )


def _are_all(part: FloatArray, labelled: FloatArray) -> BoolArray:
    """Return whether so many labels are all that there are, (A,); never where there is none."""
    return np.asarray((labelled > 0.0) & (part >= labelled - _ROUNDING))


def _one_sided(
    mean: FloatArray, deviation: FloatArray, level: float, *, is_one: bool
) -> FloatArray:
    """Return the end of the interval whose other end is 1, or 0; never beyond the mean."""
    low, high = logit_normal_interval(mean, deviation**2, max(2.0 * level - 1.0, 0.0))
    return np.minimum(low, mean) if is_one else np.maximum(high, mean)


class _Coins(NamedTuple):
    """Rows without a label, as ``lattice_interval`` takes them, (A,) each."""

    rate: FloatArray
    variance: FloatArray
    noise: FloatArray
    trials: FloatArray

    def at(self, arms: IntArray) -> _Coins:
        return _Coins(*(part[arms] for part in self))

    def one_sided(self, level: float, *, is_one: bool) -> FloatArray:
        """Return the end, in rows that are right, of the interval whose other end is the edge."""
        if is_one:
            return fewest_right(*self, level)
        return self.trials - fewest_right(1.0 - self.rate, *self[1:], level)


def _rate_variance(model: AnovaModel, weight: FloatArray) -> FloatArray:
    """Return w' Cov(rho) w of each pool arm from its own cells.

    Arms are padded to the largest number of cells; with clusters, to the largest of their size
    class, since the work grows with the square.
    """
    support = model.support
    start = np.flatnonzero(np.diff(support.arm_of_cell, prepend=-1))
    count = np.diff(np.append(start, support.cells.size))
    if count.max() == 1:
        return np.asarray(weight**2 * model.moments[1])
    variance = np.zeros(count.size)
    size_class = np.ceil(np.emath.logn(_PADDING, count)) * (support.n_clusters > 1)
    for each in np.unique(size_class):
        part = np.flatnonzero(size_class == each)
        column = np.arange(count[part].max())
        is_cell = column < count[part, None]
        index = np.where(is_cell, start[part, None] + column, 0)
        variance[part] = model.mixed_variance(index, np.where(is_cell, weight[index], 0.0))
    return variance


def _elsewhere(model: AnovaModel, listed: IntArray, level: float) -> FloatArray:
    """Return the summary of arms outside the pool, under the pool's mix; zero for others.

    Rows are mean, deviation and both ends of the interval, (4, A).
    """
    support = model.support
    summary = np.zeros((4, listed.size))
    absent = np.flatnonzero(~np.isin(listed, support.arms))
    if not absent.size:
        return summary
    n_strata = support.n_strata
    # The clusters of an arm outside the pool are unknown: its rate is the mean over all.
    stratum = support.cells % n_strata
    mix = sum_by_group(stratum - stratum % support.n_clusters, support.size, n_strata)
    strata = np.flatnonzero(mix)
    mix = mix[strata] / mix.sum()
    at_once = max(_CHUNK // strata.size, 1)
    for begin in range(0, absent.size, at_once):
        part = absent[begin : begin + at_once]
        ids = listed[part][:, None] * n_strata + strata
        first, spread = model.moments_at(ids.ravel())
        mean = first.reshape(ids.shape) @ mix
        deviation = np.sqrt(spread).reshape(ids.shape) @ mix
        ends = logit_normal_interval(mean, deviation**2, level)
        summary[:, part] = np.stack([mean, deviation, *ends])
    return summary
