"""The ANOVA kernel over cells: each coordinate alone, all of them together, and the arm itself.

Notation: J cells with D coordinates, K attributes first, then S signals; ``codes`` (J, D) number
the values of each. The distance along coordinate k is d_k = [x_k != x'_k], or for an ordered one
|x_k - x'_k| with the codes scaled to [0, 2]; r_k(d) = 1 - d for a categorical and exp(-e_k d) for
an ordered coordinate. ``arm`` (J,) numbers the arms, ``group`` (J,) the combinations of the
categorical signals (the predicted class); ``own`` (J,) is the variance of the arm's own term
relative to that of a typical arm.

    K(j, j') = o own_j [same arm] + s exp(-sum_k w_k d_k) + sum over ordered signals v_k r_k(d_k)
             + b_z b_z' (sum over attributes v_k r_k(d_k) + t exp(-sum over attributes u_k d_k))

Without categorical signals b = 1 and t = 0. With them b_z is free: what an attribute does to
accuracy often turns round with the predicted class (where positives are rare, a predicted negative
is right and a predicted positive wrong), and b of both signs says just that. Every other parameter
is the exponential of its entry of theta. theta[0] is the constant mean mu.

A sum over coordinates of functions of d_k is Z R Z', with the indicators Z (J, q) of all values
and R (q, q) made of one small table a coordinate: matrix products, and so are its derivatives.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Cells", "Layout", "kernel", "kernel_diagonal"]

Coordinates = int | IntArray
Distances = jax.Array | FloatArray

_SD = 1.0
_MEAN_SD = 2.0
_SCALE_SD = 3.0
_SIGNAL_MEAN, _SIGNAL_SD = -3.0, 2.0
_MOST_VALUES = 256


class Cells(NamedTuple):
    """Cells as arrays: codes (J, D), arm numbers, signal groups and own variances, (J,) each."""

    codes: jax.Array
    arm: jax.Array
    group: jax.Array
    own: jax.Array


@dataclass(frozen=True)
class Layout:
    """Where each parameter stands in theta, with its normal hyper-prior.

    Parameters
    ----------
    sizes
        Number of values of each coordinate, attributes first, (D,).
    ordered
        Which coordinates are ordered, (D,).
    n_attributes
        How many coordinates are attributes, K.
    n_groups
        Combinations of the categorical signals; one where there are none.
    """

    sizes: tuple[int, ...]
    ordered: tuple[bool, ...]
    n_attributes: int
    n_groups: int = 1

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Part of theta that holds each parameter."""
        D, K = len(self.ordered), self.n_attributes
        has_groups = self.n_groups > 1
        sizes = {
            "mu": 1,
            "o": 1,
            "s": 1,
            "w": D,
            "v": D,
            "e": D,
            "t": int(has_groups),
            "u": K * has_groups,
            "b": self.n_groups * has_groups,
        }
        ends = np.cumsum(list(sizes.values()))
        return {
            n: slice(int(e - z), int(e)) for (n, z), e in zip(sizes.items(), ends, strict=True)
        }

    @cached_property
    def values(self) -> tuple[IntArray, IntArray]:
        """Coordinate and code of every value, but for coordinates of very many values, (q,)."""
        few = [k for k, size in enumerate(self.sizes) if size <= _MOST_VALUES]
        owner = np.repeat(few, [self.sizes[k] for k in few]).astype(np.int64)
        code = [np.arange(self.sizes[k], dtype=np.int64) for k in few]
        return owner, np.concatenate([*code, np.zeros(0, np.int64)])

    @property
    def size(self) -> int:
        """Length of theta."""
        return int(self.slices["b"].stop)

    @cached_property
    def prior_mean(self) -> FloatArray:
        """Mean of the normal hyper-prior of each entry of theta."""
        means = {"mu": 1.0, "o": -2.0, "s": 0.0, "e": 0.5, "t": -1.0, "b": 0.0}
        mean = self._spread(means, default=-1.5)
        mean[self._of_signals] = _SIGNAL_MEAN
        return mean

    @cached_property
    def prior_covariance(self) -> FloatArray:
        """Covariance of the normal hyper-prior of theta.

        The variances share one unknown scale: how far arms differ at all is left to the labels,
        and only how the terms share it is held near the prior.
        """
        sd = self._spread({"mu": _MEAN_SD}, default=_SD)
        sd[self._of_signals] = _SIGNAL_SD
        is_variance = np.zeros(self.size)
        for name in ("o", "s", "v", "t"):
            is_variance[self.slices[name]] = 1.0
        shared = _SCALE_SD**2 * np.outer(is_variance, is_variance)
        return np.asarray(np.diag(sd**2) + shared, dtype=np.float64)

    @cached_property
    def prior_sd(self) -> FloatArray:
        """Standard deviation of each entry of theta under the hyper-prior."""
        return np.asarray(np.sqrt(np.diag(self.prior_covariance)), dtype=np.float64)

    @cached_property
    def prior_precision(self) -> FloatArray:
        """Inverse of the hyper-prior's covariance."""
        return np.asarray(np.linalg.inv(self.prior_covariance), dtype=np.float64)

    @property
    def _of_signals(self) -> IntArray:
        """Entries of w and v that belong to signals, whose use is for the labels to show."""
        D, K = len(self.ordered), self.n_attributes
        ends = [self.slices[name].stop for name in ("w", "v")]
        return np.concatenate([np.arange(end - (D - K), end) for end in ends])

    def starts(self) -> list[FloatArray]:
        """Return the points from which to search for the best theta.

        The sign pattern of b is not a convex matter, so with groups there are two: attributes that
        act alike in all groups, and attributes that act in opposite ways.
        """
        if self.n_groups == 1:
            return [self.prior_mean.copy()]
        both = []
        for b in (np.ones(self.n_groups), np.linspace(1.0, -1.0, self.n_groups)):
            start = self.prior_mean.copy()
            start[self.slices["b"]] = b
            both.append(start)
        return both

    def _spread(self, by_name: dict[str, float], default: float) -> FloatArray:
        values = np.empty(self.size)
        for name, part in self.slices.items():
            values[part] = by_name.get(name, default)
        return values


def kernel(theta: jax.Array, a: Cells, b: Cells, layout: Layout) -> jax.Array:
    """Return K between the cells of ``a`` and of ``b``, shape (J_a, J_b)."""
    raw = {name: theta[part] for name, part in layout.slices.items()}
    p = {name: jnp.exp(value) for name, value in raw.items()}
    every = range(len(layout.ordered))
    attributes = every[: layout.n_attributes]
    ordered_signals = [k for k in every[layout.n_attributes :] if layout.ordered[k]]
    is_ordered = np.asarray(layout.ordered)

    def alone(d: Distances, k: Coordinates) -> jax.Array:
        return p["v"][k] * jnp.where(is_ordered[k], jnp.exp(-p["e"][k] * d), 1.0 - d)

    together = _added(lambda d, k: p["w"][k] * d, every, a, b, layout)
    own = p["o"][0] * a.own[:, None] * (a.arm[:, None] == b.arm[None, :])
    total = own + p["s"][0] * jnp.exp(-together)
    if layout.n_groups == 1:
        return total + _added(alone, [*attributes, *ordered_signals], a, b, layout)
    u = jnp.concatenate([p["u"], jnp.zeros(len(every) - len(attributes))])
    apart = _added(lambda d, k: u[k] * d, attributes, a, b, layout)
    by_attribute = _added(alone, attributes, a, b, layout) + p["t"][0] * jnp.exp(-apart)
    total = total + raw["b"][a.group][:, None] * raw["b"][b.group][None, :] * by_attribute
    if ordered_signals:
        total = total + _added(alone, ordered_signals, a, b, layout)
    return total


def _added(
    term: Callable[[Distances, Coordinates], jax.Array],
    coordinates: Sequence[int],
    a: Cells,
    b: Cells,
    layout: Layout,
) -> jax.Array:
    """Return the sum of term(d_k, k) over coordinates, (J_a, J_b).

    Every sum is over the indicators of all values, with zeros in R for coordinates that do not
    take part: the compiler then sees that the indicators of several sums are the same. A
    coordinate of very many values is summed entry by entry: its table would fill the memory.
    """
    owner, code = layout.values
    step = np.abs(code[:, None] - code[None, :]).astype(float)
    d = np.where(owner[:, None] == owner, _scaled(step, owner[:, None], layout), 0.0)
    takes_part = (owner[:, None] == owner) & np.isin(owner, coordinates)[:, None]
    R = takes_part * term(d, owner[:, None])
    left, right = ((cells.codes[:, owner] == code).astype(float) for cells in (a, b))
    total: jax.Array = left @ R @ right.T
    for k in coordinates:
        if layout.sizes[k] > _MOST_VALUES:
            step = jnp.abs(a.codes[:, k][:, None] - b.codes[:, k][None, :]).astype(float)
            total = total + term(_scaled(step, k, layout), k)
    return total


def _scaled(step: Distances, k: Coordinates, layout: Layout) -> Distances:
    """Return d_k from the number of values between two codes, (m, n); k is one or (m, 1)."""
    is_ordered = np.asarray(layout.ordered, dtype=float)[k]
    unit = 2.0 / np.maximum(np.asarray(layout.sizes) - 1, 1)[k]
    scaled: Distances = is_ordered * unit * step + (1.0 - is_ordered) * (step > 0.0)
    return scaled


def kernel_diagonal(theta: jax.Array, cells: Cells, layout: Layout) -> jax.Array:
    """Return K(j, j), shape (J,)."""
    raw = {name: theta[part] for name, part in layout.slices.items()}
    p = {name: jnp.exp(value) for name, value in raw.items()}
    K = layout.n_attributes
    ordered_signals = [k for k in range(K, len(layout.ordered)) if layout.ordered[k]]
    attributes = p["v"][:K].sum()
    total = p["s"][0] + sum((p["v"][k] for k in ordered_signals), start=p["o"][0] * cells.own)
    if layout.n_groups > 1:
        return total + raw["b"][cells.group] ** 2 * (attributes + p["t"][0])
    return total + attributes
