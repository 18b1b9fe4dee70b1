"""Several services fitted together: what they share, and what is each one's own.

The scores of all services on a labelled row are their mean and the rest. The mean says how hard
the row is for all of them, and has a surface like any score: M. The rest of every service has one
model, with variances learned from all services (``numerics.own_effects``). Where all services give
the same answer there is no rest, so it is a matter of the *contested* rows alone. The accuracy of
service s in arm a, with the share g_a of contested rows, is

    rho_sa = M_a + g_a (b_s (M_a - m) + c_s (d_sa - d_s) + e_s(a))

with m the mean of all labels, b_s how much more or less than others the service minds what is hard
for all, and d how much more probable than those of the others the other services make its answers
(``numerics.consensus``), where answers are known. Labelled rows of a pool count as they are. The
work is linear in services.

What is shared serves most services, and harms those that are unlike the others. So the surface of
a service is an average of this fit and of its own, and it is as sure of its overall accuracy as
its own fit is. The share of this fit that has the least variance is

    w = 1/2 + (v_own - v_joint) / (2 d),    d = v_own + v_joint - 2 cov

with the fits' own claims of their variances v, and d the mean squared difference of their arms
(Bates and Granger, 1969). Since these are claims, w is drawn halfway to 1/2, as is known to pay
(Diebold and Pauly, 1990).

Notation: k services, n labelled rows of which the first sums are over contested ones, A listed
arms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from accuracy_assay.domain.arm_draws import draws_of
from accuracy_assay.domain.averages import Draws
from accuracy_assay.domain.cells import LEAST_ACTIVE_ROWS
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.numerics.intervals.logit_normal import logit_normal_interval, match_moments
from accuracy_assay.numerics.own_effects import OwnEffects, Slopes, fit_own_effects, fit_slopes
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["JointFit", "KnownRows", "OwnFit", "RowsByArm"]

_MOST_NUMBERS = 2**27
"""Most numbers of all draws of all services: half a gigabyte."""
_FEWEST_DRAWS = 64
_LEAST_SHARE = 1e-12
_LEAST_SD = 1e-9
_ARMS_AT_ONCE = 512
"""Arms whose deviations are computed at a time. Bounds memory."""


@dataclass(frozen=True, eq=False)
class KnownRows:
    """What answers say before any label.

    Parameters
    ----------
    is_contested
        Whether services differ on each labelled row, (n,).
    expected
        How probable the other services make each answer, (n, k).
    n_contested
        Contested rows of the pool by arm, (A,).
    expected_sum
        Sum of the same over them, (A, k).
    """

    is_contested: BoolArray
    expected: FloatArray
    n_contested: FloatArray
    expected_sum: FloatArray


@dataclass(frozen=True, eq=False)
class RowsByArm:
    """Position of the arm of each labelled row (n,), scores (n, k), and what answers say."""

    arm: IntArray
    scores: FloatArray
    known: KnownRows | None = None


@dataclass(frozen=True, eq=False)
class OwnFit:
    """What counts of the surface that a service has by itself.

    The surface remembers its model, which takes 20 MB: with many services it is let go.

    Parameters
    ----------
    mean, sd
        Of each arm, (A,).
    overall_sd
        Of the accuracy over the pool.
    is_bottom, is_top
        Arms whose intervals end at 0 and at 1: labels that all agree cannot say how near it is.
    """

    mean: FloatArray
    sd: FloatArray
    overall_sd: float
    is_bottom: BoolArray
    is_top: BoolArray

    @classmethod
    def of(cls, surface: AccuracySurface) -> OwnFit:
        """Return what counts of a surface."""
        ends = surface.lower <= 0.0, surface.upper >= 1.0
        return cls(surface.mean, surface.sd, surface.overall.sd, *ends)


@dataclass(frozen=True, eq=False)
class JointFit:
    """The joint posterior of several services' surfaces.

    Parameters
    ----------
    shared
        The surface of the mean score of all services.
    rows
        The labels.
    inflation
        How much less a label is worth because rows belong together.
    seed
        Seed of the draws.
    """

    shared: AccuracySurface
    rows: RowsByArm
    inflation: float = 1.0
    seed: int = 0

    @property
    def n_services(self) -> int:
        """K."""
        return int(self.rows.scores.shape[1])

    @property
    def _is_pool(self) -> bool:
        return self.shared.details.get("target") == "pool"

    @cached_property
    def _mean_score(self) -> FloatArray:
        return np.asarray(self.rows.scores.mean(axis=1))

    @cached_property
    def _at(self) -> IntArray:
        """The contested labelled rows."""
        known = self.rows.known
        every = np.arange(self.rows.arm.size)
        return every if known is None else every[known.is_contested]

    @cached_property
    def _apart(self) -> FloatArray:
        """What is known of contested labelled rows, relative to their mean, (n, k, q)."""
        hard = np.repeat(self._mean_score[self._at, None], self.n_services, axis=1)
        parts = [hard]
        if self.rows.known is not None:
            expected = self.rows.known.expected[self._at]
            parts.append(expected - expected.mean(axis=1, keepdims=True))
        return np.stack(parts, axis=2)

    @cached_property
    def _usual(self) -> FloatArray:
        """Mean of the same, (k, q)."""
        if not self._at.size:
            return np.zeros((self.n_services, self._apart.shape[2]))
        return np.asarray(self._apart.mean(axis=0))

    @cached_property
    def _rest(self) -> FloatArray:
        return np.asarray((self.rows.scores - self._mean_score[:, None])[self._at])

    @cached_property
    def slopes(self) -> Slopes:
        """B and c of every service."""
        if not self._at.size:
            zero = np.zeros_like(self._usual)
            return Slopes(zero, zero)
        return fit_slopes(self._apart, self._rest)

    @cached_property
    def effects(self) -> OwnEffects:
        """The posterior of each service's own effects."""
        away = self._apart - self._usual
        rest = self._rest - np.einsum("nkq,kq->nk", away, self.slopes.value)
        codes = self.shared.space.codes(self.shared.arms)
        return fit_own_effects(codes, self.rows.arm[self._at], rest, self.inflation)

    def _by_arm(self, values: FloatArray, rows: IntArray | None = None) -> FloatArray:
        """Return sums of labelled rows' values by arm; of all rows by default."""
        arm = self.rows.arm if rows is None else self.rows.arm[rows]
        total = np.zeros((self.shared.arms.size, *values.shape[1:]))
        np.add.at(total, arm, values)
        return total

    @cached_property
    def _labels(self) -> FloatArray:
        return sum_by_group(self.rows.arm, np.ones(self.rows.arm.size), self.shared.arms.size)

    @cached_property
    def _size(self) -> FloatArray:
        """Pool rows of each arm, and at least its labels, (A,)."""
        return np.maximum(np.maximum(self.shared.support, self._labels), 1.0)

    @cached_property
    def _unlabelled(self) -> FloatArray:
        """Rows of each arm whose scores are not known, (A,)."""
        return self._size - self._labels if self._is_pool else self._size

    @cached_property
    def _open(self) -> FloatArray:
        """Share of an arm's rows that are contested and have no known score, g, (A,)."""
        known = self.rows.known
        if known is None:
            return self._unlabelled / self._size
        left = known.n_contested.astype(np.float64)
        if self._is_pool:
            left = left - self._by_arm(np.ones(self._at.size), self._at)
        return np.clip(np.minimum(left, self._unlabelled), 0.0, None) / self._size

    @cached_property
    def _hard(self) -> FloatArray:
        """Mean score that the shared surface expects of rows whose scores are not known, (A,)."""
        if not self._is_pool:
            return self.shared.mean
        settled = self._by_arm(self._mean_score)
        left = self.shared.mean * self._size - settled
        rate = np.clip(left / np.maximum(self._unlabelled, 1.0), 0.0, 1.0)
        return np.where(self._unlabelled > 0.0, rate, self.shared.mean)

    @cached_property
    def _known(self) -> FloatArray:
        """What is known of contested rows without a score, less the usual, (A, k, q)."""
        away = self._hard - self._mean_score.mean()  # contested rows may be harder everywhere
        parts = [np.repeat(away[:, None], self.n_services, axis=1)]
        known = self.rows.known
        if known is not None:
            total, count = known.expected_sum, known.n_contested
            if self._is_pool:
                total = total - self._by_arm(known.expected[self._at], self._at)
                count = count - self._by_arm(np.ones(self._at.size), self._at)
            mean = total / np.maximum(count, 1.0)[:, None]
            apart = mean - mean.mean(axis=1, keepdims=True)
            parts.append(np.where((count > 0.0)[:, None], apart - self._usual[:, 1], 0.0))
        return np.stack(parts, axis=2)

    @cached_property
    def means(self) -> FloatArray:
        """Accuracy of every service in every arm, (A, k)."""
        own = np.einsum("akq,kq->ak", self._known, self.slopes.value) + self.effects.mean
        share = (self._unlabelled / self._size)[:, None]
        rate = self._hard[:, None] + self._open[:, None] * own / np.maximum(share, _LEAST_SHARE)
        spread = self._open[:, None] * np.sqrt(self._effect_variance)
        rest = share * truncated_mean(rate, spread / np.maximum(share, _LEAST_SHARE))
        if not self._is_pool:
            return np.asarray(rest)
        return np.asarray(rest + self._by_arm(self.rows.scores) / self._size[:, None])

    @cached_property
    def _effect_variance(self) -> FloatArray:
        """Variance of each service's own effect in each arm, (A, k)."""
        found = self._by_arms(self.effects.variance)
        return found[:, None] * np.diag(self.effects.covariance)

    def _by_arms(self, variance: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """Return a variance of averages for each arm alone, (A,)."""
        n_arms = self.shared.arms.size
        found = np.empty(n_arms)
        for start in range(0, n_arms, _ARMS_AT_ONCE):
            part = np.arange(start, min(start + _ARMS_AT_ONCE, n_arms))
            weight = np.zeros((part.size, n_arms))
            weight[np.arange(part.size), part] = 1.0
            found[part] = variance(weight)
        return found

    @cached_property
    def sway(self) -> FloatArray:
        """How much each service's accuracy moves with the shared one, (k,)."""
        return 1.0 + float(self._open.mean()) * self.slopes.value[:, 0]

    @cached_property
    def _coins(self) -> FloatArray:
        """Variance of an arm's own rows around their rate, in units of sigma^2, (A,)."""
        return self._open / self._size if self._is_pool else np.zeros(self._size.size)

    def _own_variance(self, weight: FloatArray) -> FloatArray:
        """Return the variance of averages (Q, A) of what is a service's own, by sigma^2, (Q,)."""
        return self.effects.variance(weight * self._open) + weight**2 @ self._coins

    @cached_property
    def deviations(self) -> FloatArray:
        """Standard deviation of each accuracy, (A, k)."""
        own = self._by_arms(self._own_variance)
        reach = self._open[:, None, None] * self._known
        slopes = np.einsum("akq,kq->ak", reach**2, self.slopes.variance)
        shared = self.sway**2 * (self.shared.sd**2)[:, None]
        total = shared + slopes + own[:, None] * np.diag(self.effects.covariance)
        return np.asarray(np.sqrt(total))

    def surfaces(self, alone: Mapping[str, OwnFit]) -> dict[str, AccuracySurface]:
        """Return the surface of every service, by name, given those that were fitted alone."""
        shared = draws_of(self.shared)
        most = _MOST_NUMBERS // max(self.n_services * self.shared.arms.size, 1)
        shared = shared[: max(most, _FEWEST_DRAWS)] - self.shared.mean
        own = self._own_draws(shared.shape[0])
        return {
            name: self._surface(s, shared, own[s], by_itself)
            for s, (name, by_itself) in enumerate(alone.items())
        }

    def _own_draws(self, n_draws: int) -> Draws:
        """Return joint draws of what is each service's own, around their means, (k, S, A)."""
        rng, shape = np.random.default_rng([self.seed, 9]), (n_draws, self.shared.arms.size)
        values, vectors = np.linalg.eigh(self.effects.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        drawn = np.zeros((self.n_services, *shape), dtype=np.float32)
        for t in range(self.n_services):
            own = self.effects.draw(n_draws, rng) * self._open
            own += rng.standard_normal(shape) * np.sqrt(self._coins)
            drawn += root[:, t, None, None].astype(np.float32) * own.astype(np.float32)
        for s in range(self.n_services):
            slope = rng.standard_normal((n_draws, self.slopes.value.shape[1]))
            slope *= np.sqrt(self.slopes.variance[s])
            drawn[s] += self._open * (slope @ self._known[:, s].T)
        return drawn

    @property
    def _score_kind(self) -> dict[str, float]:
        """What the mean of scores is not, but each may be: right or wrong."""
        return {"dispersion": 1.0} if np.isin(self.rows.scores, (0.0, 1.0)).all() else {}

    def _share(self, service: int, alone: OwnFit) -> float:
        """Return the share of this fit in the surface of a service, between 1/4 and 3/4."""
        is_active = self.shared.support >= LEAST_ACTIVE_ROWS
        at = is_active if is_active.any() else np.ones_like(is_active)
        v_joint, v_own = (np.mean(sd[at] ** 2) for sd in (self.deviations[:, service], alone.sd))
        d = max(float(np.mean((self.means[at, service] - alone.mean[at]) ** 2)), _LEAST_SD**2)
        best = np.clip(0.5 + (v_own - v_joint) / (2.0 * d), 0.0, 1.0)
        return float(0.5 * (0.5 + best))

    def _surface(
        self, service: int, shared: FloatArray, own: Draws, alone: OwnFit
    ) -> AccuracySurface:
        """Return the surface of a service, given draws (S, A) of what is shared and its own."""
        share = self._share(service, alone)
        mean = share * self.means[:, service] + (1.0 - share) * alone.mean
        joint_sd = np.maximum(self.deviations[:, service], _LEAST_SD)
        sd = share * joint_sd + (1.0 - share) * alone.sd  # both err by the same labels
        scale, weight = sd / joint_sd, self.shared.weights()
        shared, variance = shared * (self.sway[service] * scale), alone.overall_sd**2
        of_own = _as_sure(own * scale, weight, variance)
        left = variance - float(np.mean((of_own @ weight) ** 2))
        away = _as_sure(shared, weight, left) + of_own
        before = np.std(shared + own * scale, axis=0)
        sd = sd * np.std(away, axis=0) / np.where(before > 0.0, before, 1.0)
        lower, upper = _interval(mean, sd, self.shared.level, alone)
        correct = self._by_arm(self.rows.scores[:, service])
        if self._is_pool:
            least = correct / self._size
            highest = least + self._unlabelled / self._size
            lower, upper = np.clip(lower, least, highest), np.clip(upper, least, highest)
        return replace(
            self.shared,
            n=self._labels,
            correct=correct,
            mean=mean,
            sd=sd,
            lower=np.minimum(lower, mean),
            upper=np.maximum(upper, mean),
            draws=_within(mean, sd, away),
            details={**self.shared.details, **self._score_kind},
            memory=None,
            joint=None,
        )


def truncated_mean(mean: FloatArray, sd: FloatArray) -> FloatArray:
    """Return the mean of normal variables that are known to lie in [0, 1].

    Examples
    --------
    >>> truncated_mean(np.array([0.5, 1.0, 1.2]), np.array([0.1, 0.1, 0.0])).round(3).tolist()
    [0.5, 0.92, 1.0]
    """
    from scipy.stats import truncnorm

    inside = np.clip(mean, 0.0, 1.0)
    some = np.where(sd > _LEAST_SD, sd, 1.0)
    found = truncnorm.mean((0.0 - mean) / some, (1.0 - mean) / some, loc=mean, scale=some)
    return np.where((sd > _LEAST_SD) & np.isfinite(found), np.clip(found, 0.0, 1.0), inside)


def _interval(
    mean: FloatArray, sd: FloatArray, level: float, alone: OwnFit
) -> tuple[FloatArray, FloatArray]:
    """Return the ends of the arms' intervals, (A,) each: at 0 or 1 where the own fit has them.

    All that may be missed then lies on the other side.
    """
    lower, upper = logit_normal_interval(mean, sd**2, level)
    least, most = logit_normal_interval(mean, sd**2, max(2.0 * level - 1.0, 0.0))
    lower = np.where(alone.is_bottom, 0.0, np.where(alone.is_top, least, lower))
    upper = np.where(alone.is_top, 1.0, np.where(alone.is_bottom, most, upper))
    return lower, upper


def _as_sure(draws: FloatArray, weight: FloatArray, variance: float) -> FloatArray:
    """Return draws (S, A) whose average with weights (A,) has at most this variance.

    What is known better of the average is known better of each arm in proportion to its covariance
    with it, as if the average had been observed.
    """
    whole = draws @ weight
    now = float(np.mean(whole**2))
    if now <= variance:
        return draws
    reach = whole @ draws / (whole.size * now)
    keep = np.sqrt(max(variance, 0.0) / now)
    return np.asarray(draws - (1.0 - keep) * whole[:, None] * reach)


def _within(mean: FloatArray, sd: FloatArray, away: FloatArray) -> Draws:
    """Return draws (S, A) of rates in [0, 1], given normal ones around the mean."""
    from scipy.special import expit

    m, s = match_moments(mean, sd**2)
    standard = away / np.where(sd > 0.0, sd, 1.0)
    return np.asarray(expit(m + s * standard), dtype=np.float32)
