"""The ANOVA kernel over cells: each coordinate alone, all of them together, and the arm itself.

The formula, where its parameters are in theta, and their hyper-priors. ``kernel_matrix`` computes
it.

Notation: see the sub-package. Besides: cells have coordinates k: attributes, then signals, then
the arms' means of signals; ``codes`` (J, n_coordinates) number the values x_k of each. The
distance along coordinate k is d_k = [x_k != x'_k], or |x_k - x'_k| with the codes scaled to [0, 2]
if it is ordered; c_k(d) is 1 - d for a categorical and exp(-e_k d) for an ordered coordinate.
``arm`` (J,) numbers the arms, ``group`` (J,) the combinations of the categorical signals (the
predicted class), ``cluster`` (J,) the rows that belong together (of one speaker); ``own`` (J,) is
the variance of the arm's own term relative to that of a typical arm; ``slices`` (J, m) is how far
each cell follows the effects of a few slices (``slice_effects``), zero outside a slice; ``trend``
(J, m) is how far it follows the slopes of signals in which logits are about linear.

    K(j, j') = m + o own_j [same arm] + s exp(-sum over attributes and signals w_k d_k)
             + sum over ordered signals and means v_k c_k(d_k) + c [same cluster]
             + slices_j slices_j' + trend_j trend_j'
             + (a + b_z b_z') (sum over attributes v_k c_k(d_k)
                               + t exp(-sum over attributes u_k d_k))

Without categorical signals a = 0, b = 1 and t = 0. With them b_z is free: an attribute's effect on
accuracy often reverses with the predicted class (if positives are rare, a predicted negative is
right and a predicted positive wrong), which b of both signs can express; a is the effect that
attributes have in all classes. Every other parameter is the exponential of its entry of theta. The
constant m is the variance of the logits' common mean: the unknown level of accuracy is part of the
process rather than a fitted number.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import jax
import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = [
    "LEVEL_VARIANCE",
    "MEAN_LOGIT",
    "CellArrays",
    "Layout",
    "kernel_diagonal",
    "scaled_step",
]

Coordinates = int | IntArray


class _Normal(NamedTuple):
    """A normal hyper-prior of one entry of theta."""

    mean: float
    sd: float


# The common level of the logits: an accuracy of 73%; two deviations reach 5 and 99.3%.
MEAN_LOGIT = 1.0
LEVEL_VARIANCE = 4.0
# Hyper-priors by parameter: the variances and weights of nine real tasks with all their labels,
# and the scale of those whose arms differ much. A prior that is too wide costs a few labels; one
# that is too narrow costs coverage (docs/decisions/0004). Units are natural logs except for b.
_PRIOR = {
    "o": _Normal(-0.6, 1.2),  # log-variance of a typical arm's own term, in squared logits
    "s": _Normal(1.0, 0.7),  # log-variance of the product over all coordinates
    "w": _Normal(-0.8, 1.0),  # log-weight of a unit of distance in the product
    "v": _Normal(-1.3, 0.8),  # log-variance of a coordinate's additive term
    "e": _Normal(0.5, 1.0),  # log-rate of an ordered additive term, values scaled to [0, 2]
    "t": _Normal(-1.0, 1.0),  # log-variance of the product over attributes, times b b'
    "u": _Normal(-0.8, 1.0),  # log-weight of a unit of distance in that product; as w
    "c": _Normal(-1.5, 1.5),  # log-variance of what rows of one cluster share; may be nothing
    "a": _Normal(0.0, 1.0),  # log-factor of attribute effects that all signal groups share
    "b": _Normal(0.0, 1.0),  # factor of attribute effects in a signal group; of either sign
}
# Replaces o if attributes are guessed: wrong guesses look like arms that differ for no reason, and
# a label of several arms says least about an arm's own term. With the prior above, one draw of six
# on faces had an own variance of 9 (docs/decisions/0004).
_GUESSED_OWN_PRIOR = _Normal(-0.6, 0.6)
# Replaces w and v of signals: a signal may be noise, and labels must show its use. A signal of
# pure noise then costs under 3% instead of 3.1% (docs/decisions/0004).
_SIGNAL_PRIOR = _Normal(-3.0, 2.0)
# Log-variance of a signal at which a second search begins: three of the prior's deviations above
# its mean. With it the worst draws of 100 labels with referees are ten times nearer
# (docs/decisions/0005).
_STRONG_SIGNAL = 3.0
# The log of the scale that all variances share, on top of the means above. Between real tasks of
# coins it varies by 0.7. Scores that are shares (of words, say) are averages already: on
# whisper-text, the one real task of them, the scale is smaller by 3.5.
_COIN_SCALE = _Normal(0.0, 1.2)
_SHARE_SCALE = _Normal(-1.5, 2.0)
_VARIANCES = ("o", "s", "v", "t", "c")
# Most values of a coordinate whose sums use tables: one of 256 x 256 doubles takes half a
# megabyte, and tables grow with the square.
_MOST_VALUES = 256
_ORDERED_RANGE = 2.0  # distance of the two ends of an ordered coordinate, as in the prototype


class CellArrays(NamedTuple):
    """Cells as arrays: codes (J, n_coordinates); arms, signal groups, own variances, (J,) each.

    Clusters (J,) are set if the layout has any; -1 is the average over clusters, which has no
    deviation. Slices (J, m) are set if any has an effect, trends if a signal has one.
    """

    codes: jax.Array
    arm: jax.Array
    group: jax.Array
    own: jax.Array
    cluster: jax.Array | None = None
    slices: jax.Array | None = None
    trend: jax.Array | None = None


@dataclass(frozen=True)
class Layout:
    """Where each parameter is in theta, with its normal hyper-prior.

    Parameters
    ----------
    sizes
        Number of values of each coordinate, attributes first, (n_coordinates,).
    ordered
        Which coordinates are ordered, (n_coordinates,).
    n_attributes
        How many coordinates are attributes.
    n_groups
        Combinations of the categorical signals; one if there are none.
    has_coins
        Whether all scores are 0 or 1 rather than shares.
    has_clusters
        Whether cells belong to clusters, which share a deviation.
    is_guessed
        Whether a label may belong to one of several cells.
    n_means
        How many coordinates, the last ones, are arms' means of signals. They are in the sums but
        not in the product, where they made one draw of five on adult5 38% worse instead of 29%
        (docs/decisions/0005).
    """

    sizes: tuple[int, ...]
    ordered: tuple[bool, ...]
    n_attributes: int
    n_groups: int = 1
    has_coins: bool = True
    has_clusters: bool = False
    is_guessed: bool = False
    n_means: int = 0

    @property
    def _prior(self) -> dict[str, _Normal]:
        return _PRIOR | ({"o": _GUESSED_OWN_PRIOR} if self.is_guessed else {})

    @property
    def _scale(self) -> _Normal:
        return _COIN_SCALE if self.has_coins else _SHARE_SCALE

    @property
    def attributes(self) -> list[int]:
        """Coordinates that are attributes."""
        return list(range(self.n_attributes))

    @property
    def ordered_signals(self) -> list[int]:
        """Coordinates that are ordered signals, or arms' means of signals."""
        return [k for k in range(self.n_attributes, len(self.ordered)) if self.ordered[k]]

    @property
    def multiplied(self) -> list[int]:
        """Coordinates of the product kernel: all but the means."""
        return list(range(len(self.ordered) - self.n_means))

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Part of theta that holds each parameter."""
        n_coordinates = len(self.ordered)
        has_groups = self.n_groups > 1
        sizes = {
            "o": 1,
            "s": 1,
            "w": n_coordinates - self.n_means,
            "v": n_coordinates,
            "e": n_coordinates,
            "t": int(has_groups),
            "u": self.n_attributes * has_groups,
            "c": int(self.has_clusters),
            "a": int(has_groups),
            "b": self.n_groups * has_groups,
        }
        ends = np.cumsum(list(sizes.values()))
        return {
            n: slice(int(e - z), int(e)) for (n, z), e in zip(sizes.items(), ends, strict=True)
        }

    @cached_property
    def values(self) -> tuple[IntArray, IntArray]:
        """Coordinate and code of every value, (n_values,), except coordinates with very many."""
        few = [k for k, size in enumerate(self.sizes) if size <= _MOST_VALUES]
        owner = np.repeat(few, [self.sizes[k] for k in few]).astype(np.int64)
        code = [np.arange(self.sizes[k], dtype=np.int64) for k in few]
        return owner, np.concatenate([*code, np.zeros(0, np.int64)])

    @cached_property
    def blocks(self) -> tuple[tuple[IntArray, IntArray], IntArray, FloatArray]:
        """Pairs of values of one coordinate: their positions, the coordinate and the distance."""
        owner, code = self.values
        i, j = np.nonzero(owner[:, None] == owner)
        step = np.abs(code[i] - code[j]).astype(float)
        return (i, j), owner[i], scaled_step(step, owner[i], self)

    @cached_property
    def wide(self) -> IntArray:
        """Coordinates with very many values."""
        return np.flatnonzero(np.asarray(self.sizes) > _MOST_VALUES)

    @cached_property
    def units(self) -> FloatArray:
        """Distance of neighbouring values of each coordinate, if it is ordered."""
        return np.asarray(_ORDERED_RANGE / np.maximum(np.asarray(self.sizes) - 1, 1))

    @property
    def size(self) -> int:
        """Length of theta."""
        return int(self.slices["b"].stop)

    @cached_property
    def prior_mean(self) -> FloatArray:
        """Mean of the normal hyper-prior of each entry of theta."""
        mean = self._spread({name: prior.mean for name, prior in self._prior.items()})
        mean[self._of_signals] = _SIGNAL_PRIOR.mean
        return mean + self._scale.mean * self.directions[0]

    @cached_property
    def prior_covariance(self) -> FloatArray:
        """Covariance of the normal hyper-prior of theta.

        The variances share one unknown scale: the labels decide how far arms differ at all, and
        only the shares of the terms are held near the prior.
        """
        sd = self._spread({name: prior.sd for name, prior in self._prior.items()})
        sd[self._of_signals] = _SIGNAL_PRIOR.sd
        is_variance = self.directions[0]
        shared = self._scale.sd**2 * np.outer(is_variance, is_variance)
        return np.asarray(np.diag(sd**2) + shared, dtype=np.float64)

    @cached_property
    def prior_sd(self) -> FloatArray:
        """Standard deviation of each entry of theta under the hyper-prior."""
        return np.asarray(np.sqrt(np.diag(self.prior_covariance)), dtype=np.float64)

    @cached_property
    def prior_precision(self) -> FloatArray:
        """Inverse of the hyper-prior's covariance."""
        return np.asarray(np.linalg.inv(self.prior_covariance), dtype=np.float64)

    @cached_property
    def directions(self) -> tuple[FloatArray, FloatArray]:
        """Directions in theta that few labels determine least: all variances, and the arms' own.

        Each is a vector of zeros and ones: a step of one multiplies variances by e.
        """
        every, own = np.zeros(self.size), np.zeros(self.size)
        for name in _VARIANCES:
            every[self.slices[name]] = 1.0
        own[self.slices["o"]] = 1.0
        return every, own

    @cached_property
    def between_arms(self) -> FloatArray:
        """Which entries are log-variances of terms that set single arms apart: a vector of ones.

        They are the arms' own terms and the products over all coordinates.
        """
        arms = np.zeros(self.size)
        for name in ("o", "s", "t"):
            arms[self.slices[name]] = 1.0
        return arms

    @property
    def _of_signals(self) -> IntArray:
        """Entries of w and v that belong to signals, whose use the labels must show."""
        parts = [self.slices[name] for name in ("w", "v")]
        return np.concatenate([np.arange(p.start + self.n_attributes, p.stop) for p in parts])

    @property
    def prior_logit_sd(self) -> float:
        """How far the logit of a typical arm is from the level before any label."""
        p = {name: np.exp(self.prior_mean[part]) for name, part in self.slices.items()}
        return float(np.sqrt(p["o"][0] + p["s"][0] + p["v"][: self.n_attributes].sum()))

    def log_prior(self, theta: FloatArray) -> float:
        """Return the log-density of the hyper-prior, up to a constant."""
        away = theta - self.prior_mean
        return -0.5 * float(away @ self.prior_precision @ away)

    @property
    def start(self) -> FloatArray:
        """Where the search for theta begins: attributes act alike in all groups.

        At the prior's mean, b = 0, it would not move: both signs are equally good there.
        """
        start = self.prior_mean.copy()
        start[self.slices["b"]] = 1.0
        return start

    @property
    def starts(self) -> list[FloatArray]:
        """Every starting point of the search; the first is ``start``.

        A signal that predicts nearly every error has a variance far above the prior's. With few
        labels a search from the prior's mean may settle before it gets there, so a second one
        starts there.
        """
        if not self.ordered_signals:
            return [self.start]
        strong = self.start.copy()
        strong[self.slices["v"]][self.ordered_signals] = _STRONG_SIGNAL
        return [self.start, strong]

    def _spread(self, by_name: dict[str, float]) -> FloatArray:
        """Return an array over theta that holds each parameter's value."""
        values = np.empty(self.size)
        for name, part in self.slices.items():
            values[part] = by_name[name]
        return values


def scaled_step(step: FloatArray, k: Coordinates, layout: Layout) -> FloatArray:
    """Return d_k from the number of values between two codes; k is one coordinate or one each."""
    is_ordered = np.asarray(layout.ordered, dtype=float)[k]
    scaled = is_ordered * layout.units[k] * step + (1.0 - is_ordered) * (step > 0.0)
    return np.asarray(scaled)


def kernel_diagonal(theta: FloatArray, cells: CellArrays, layout: Layout) -> FloatArray:
    """Return K(j, j), shape (J,)."""
    raw = {name: np.asarray(theta)[part] for name, part in layout.slices.items()}
    p = {name: np.exp(value) for name, value in raw.items()}
    attributes = p["v"][: layout.n_attributes].sum()
    total = LEVEL_VARIANCE + p["s"][0] + p["o"][0] * np.asarray(cells.own)
    total = total + p["v"][layout.ordered_signals].sum()
    if cells.cluster is not None:
        total = total + p["c"][0] * (np.asarray(cells.cluster) >= 0.0)
    for follows in (cells.slices, cells.trend):
        if follows is not None:
            total = total + (np.asarray(follows) ** 2).sum(axis=1)
    if layout.n_groups > 1:
        group = np.asarray(cells.group, np.int64)
        attributes = (p["a"][0] + raw["b"][group] ** 2) * (attributes + p["t"][0])
    return np.asarray(total + attributes)
