"""The theta that makes the labels most likely: maximum of the approximate marginal likelihood.

    objective = log Z(theta) - 1/2 (theta - theta_0)' Lambda (theta - theta_0)

Notation: see the sub-package. Besides: the hyper-prior of theta has mean theta_0, standard
deviations sd and precision Lambda. L-BFGS-B over z, theta = theta_0 + sd z, with exact gradients;
each Newton search starts from the best mode so far. Shapes are padded to a few sizes, so a growing
set of observed cells reuses compiled code.

A search of a part of very many cells may take matrices of 32 bits, in a third of the time: B is at
least the identity, so its factor loses little, and log Z is added up in 64 bits. theta then ends a
thousandth of a nat from the best, which no estimate shows; the fit at theta is of 64 bits again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import minimize

from accuracy_assay.errors import ConvergenceError
from accuracy_assay.numerics.gp import mixture
from accuracy_assay.numerics.gp.anova import MEAN_LOGIT, CellArrays, Layout
from accuracy_assay.numerics.gp.kernel_matrix import KernelTables, kernel, pull_back, tables_of
from accuracy_assay.numerics.gp.laplace import (
    CellLabels,
    Mode,
    find_mode,
    log_marginal,
    marginal_and_slopes,
    mean_shift,
)
from accuracy_assay.numerics.gp.mixture import Mixtures
from accuracy_assay.numerics.gp.mixture_curvature import RowRoot
from accuracy_assay.numerics.gp.slice_effects import SliceEffect
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.device import has_accelerator
from accuracy_assay.runtime.programs import program

__all__ = [
    "AnyLabels",
    "Begun",
    "FittedGP",
    "begin_at",
    "fit_at",
    "maximise_marginal",
    "respond",
]

AnyLabels = CellLabels | Mixtures
Vector = FloatArray | jax.Array

# Bounds of z, in the hyper-prior's standard deviations: labels rarely pull farther, and
# exponentials of theta stay far from overflow.
_FARTHEST = 4.0
_NOT_FINITE = 1e10  # loss if log Z is not finite: above any loss of real labels
_MEMORY = 20  # pairs that L-BFGS keeps: as many as theta has entries on a usual task
# Least relative gain of one step: a thousand nats move by 1e-4, which no estimate shows.
_LEAST_GAIN = 1e-7
_LEAST_GAIN_SINGLE = 1e-6  # the same in 32 bits, above their rounding
# Most labels of a search in 32 bits. The largest eigenvalue of B is about as many, and rounding
# must stay far below the smallest, one.
_MOST_LABELS_SINGLE = 30_000


@dataclass(frozen=True)
class FittedGP:
    """A fitted model, padded.

    Parameters
    ----------
    theta, value
        The hyper-parameters and the value of the objective, plus the effects' log prior odds.
    cells, mode
        The observed cells and the posterior mode there.
    weights
        The posterior mean as weights of the kernel's columns: E[f] = K weights, (J,).
    layout
        Where each parameter is in theta.
    has_lower_root
        Whether H is lower triangular, as it is if each label observes one cell.
    effects
        The slices with an effect, which the cells follow.
    row_root
        H by rows, if labels observe mixtures of more cells than there are rows.
    """

    theta: FloatArray
    value: float
    cells: CellArrays
    mode: Mode
    weights: jax.Array
    layout: Layout
    has_lower_root: bool = False
    effects: tuple[SliceEffect, ...] = ()
    row_root: RowRoot | None = None

    @cached_property
    def tables(self) -> KernelTables:
        """The kernel's tables at theta."""
        return tables_of(self.theta, self.layout)


class Begun(NamedTuple):
    """A fit of which the objective is known, and what makes the rest."""

    value: float
    finish: Callable[[], FittedGP]


# Several programs instead of one: a fit at a given theta shares its search for the mode with the
# search for theta.
_kernel = program(kernel)
_find_mode = program(find_mode)
_marginal_and_slopes = program(marginal_and_slopes)
_log_marginal = program(log_marginal)
_mean_shift = program(mean_shift)


@program
def _single_marginal_and_slopes(
    K: jax.Array, mu: float, labels: CellLabels, start: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return log Z, its derivative with respect to K and g, with matrices of 32 bits."""
    K32, start32 = K.astype(jnp.float32), start.astype(jnp.float32)
    labels32 = CellLabels(labels.y.astype(jnp.float32), labels.n.astype(jnp.float32))
    mode = find_mode(K32, jnp.float32(mu), labels32, start32)
    _, slope_K = marginal_and_slopes(K32, jnp.float32(mu), labels32, mode)
    wide = Mode(*(part.astype(jnp.float64) for part in mode._replace(H=mode.eta)))
    return log_marginal(mu, labels, wide), slope_K.astype(jnp.float64), wide.g


def _objective(
    theta: FloatArray,
    cells: CellArrays,
    labels: AnyLabels,
    start: Vector,
    layout: Layout,
    *,
    is_single: bool = False,
) -> tuple[float, FloatArray, Vector]:
    """Return log Z, its gradient in theta and g at the mode."""
    tables = tables_of(theta, layout)
    K = _kernel(tables, cells, cells)
    g: Vector
    if isinstance(labels, Mixtures):
        log_z, slope_K, g = mixture.marginal_and_slopes(K, MEAN_LOGIT, labels, start)
    elif is_single:
        log_z, slope_K, g = _single_marginal_and_slopes(K, MEAN_LOGIT, labels, jnp.asarray(start))
    else:
        mode = _find_mode(K, MEAN_LOGIT, labels, jnp.asarray(start))
        log_z, slope_K = _marginal_and_slopes(K, MEAN_LOGIT, labels, mode)
        g = mode.g
    slope = pull_back(theta, tables, cells, jnp.asarray(slope_K), layout)
    return float(log_z), slope, g


def begin_at(
    theta: FloatArray, cells: CellArrays, labels: AnyLabels, start: Vector, layout: Layout
) -> Begun:
    """Return the objective at a given theta; ``start`` (J,) is a guess of g."""
    K, prior = _kernel(tables_of(theta, layout), cells, cells), layout.log_prior(theta)
    if isinstance(labels, Mixtures):
        top = mixture.find_top(K, MEAN_LOGIT, labels, start)
        value = top.log_z + prior

        def finish_mixture() -> FittedGP:
            mode, weights, root = top.posterior()
            return FittedGP(theta, value, cells, mode, jnp.asarray(weights), layout, row_root=root)

        return Begun(value, finish_mixture)
    mode = _find_mode(K, MEAN_LOGIT, labels, jnp.asarray(start))
    value = float(_log_marginal(MEAN_LOGIT, labels, mode)) + prior

    def finish() -> FittedGP:
        weights = mode.g + _mean_shift(K, labels, mode)
        return FittedGP(theta, value, cells, mode, weights, layout, has_lower_root=True)

    return Begun(value, finish)


def fit_at(
    theta: FloatArray, cells: CellArrays, labels: AnyLabels, start: Vector, layout: Layout
) -> FittedGP:
    """Return the fit at a given theta; ``start`` (J,) is a guess of g."""
    return begin_at(theta, cells, labels, start, layout).finish()


def respond(
    fitted: FittedGP, labels: Mixtures, others: Sequence[Mixtures], targets: CellArrays
) -> FloatArray:
    """Return how far the logits of targets move if labels observe other mixtures, (T, B)."""
    tables, cells = fitted.tables, fitted.cells
    K = _kernel(tables, cells, cells)
    moved = mixture.respond(K, MEAN_LOGIT, labels, others, fitted.mode)
    return np.asarray(_kernel(tables, targets, cells)) @ moved


class _ThetaSearch:
    """One search for theta; each Newton search starts from the best mode so far."""

    def __init__(
        self,
        cells: CellArrays,
        labels: AnyLabels,
        layout: Layout,
        g: FloatArray,
        *,
        is_single: bool = False,
    ) -> None:
        self.cells, self.labels, self.layout = cells, labels, layout
        self.is_single = is_single
        self.g: Vector = g
        self.least = _NOT_FINITE
        self.best: FloatArray | None = None

    def loss(self, z: FloatArray) -> tuple[float, FloatArray]:
        """Return minus the objective and its gradient; a huge value if not finite."""
        theta = self.layout.prior_mean + self.layout.prior_sd * z
        pull = self.layout.prior_precision @ (theta - self.layout.prior_mean)
        log_z, slope, g = _objective(
            theta,
            self.cells,
            self.labels,
            self.g,
            self.layout,
            is_single=self.is_single,
        )
        value = -self.layout.log_prior(theta) - log_z
        down = self.layout.prior_sd * (pull - slope)
        if not (np.isfinite(value) and np.isfinite(down).all()):
            return _NOT_FINITE, np.zeros_like(z)
        if value < self.least:
            self.least, self.g, self.best = value, g, theta
        return value, down

    def run(self, theta: FloatArray, max_steps: int) -> None:
        """Search from ``theta``; the first step has unit length whatever the slope."""
        z0 = (theta - self.layout.prior_mean) / self.layout.prior_sd
        z0 = np.clip(z0, -_FARTHEST, _FARTHEST)
        first = self.loss(z0)
        unit = max(1.0, float(np.linalg.norm(first[1])))

        def scaled(z: FloatArray) -> tuple[float, FloatArray]:
            # The optimiser asks for the start first, which is known.
            value, slope = first if np.array_equal(z, z0) else self.loss(z)
            return value / unit, slope / unit

        minimize(
            scaled,
            z0,
            jac=True,
            method="L-BFGS-B",
            bounds=[(-_FARTHEST, _FARTHEST)] * z0.size,
            options={
                "maxiter": max_steps,
                "maxcor": _MEMORY,
                "ftol": _LEAST_GAIN_SINGLE if self.is_single else _LEAST_GAIN,
            },
        )


def maximise_marginal(
    cells: CellArrays,
    labels: AnyLabels,
    layout: Layout,
    starts: list[FloatArray],
    *,
    max_steps: int,
    guess: FloatArray | None = None,
    is_part: bool = False,
) -> FittedGP:
    """Return the best fit over the given starting points.

    Parameters
    ----------
    cells, labels
        Padded arrays; mixtures need no padding.
    starts
        Values of theta to start from.
    max_steps
        L-BFGS iterations.
    guess
        Guess of g (J,) for the first Newton search.
    is_part
        Whether there are more cells than these. Then matrices may be of 32 bits.

    Raises
    ------
    ConvergenceError
        If no start reaches a finite value.
    """
    first = np.zeros(cells.arm.shape[0]) if guess is None else guess
    best: _ThetaSearch | None = None
    is_single = is_part and _fits_single(labels)
    for theta in starts:
        search = _ThetaSearch(cells, labels, layout, first, is_single=is_single)
        search.run(theta, max_steps)
        if best is None or search.least < best.least:
            best = search
    if is_single and (best is None or best.best is None):
        return maximise_marginal(cells, labels, layout, starts, max_steps=max_steps, guess=guess)
    if best is None or best.best is None:
        raise ConvergenceError(
            "the marginal likelihood must be finite somewhere; got no finite value from any "
            "start. Check the labels for extreme weights."
        )
    return fit_at(best.best, cells, labels, np.asarray(best.g), layout)


def _fits_single(labels: AnyLabels) -> bool:
    """Return whether matrices of 32 bits are faster and exact enough; a GPU needs no help."""
    if isinstance(labels, Mixtures) or has_accelerator():
        return False
    return float(np.asarray(labels.n).sum()) <= _MOST_LABELS_SINGLE
