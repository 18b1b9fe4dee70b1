"""The theta that makes the labels most likely: maximum of the approximate evidence with its prior.

Notation: objective = log Z(theta) - 1/2 (theta - m)' P (theta - m), with log Z of ``laplace``
under the kernel of ``anova`` and the hyper-prior's mean m and precision P. L-BFGS-B with exact
gradients; each Newton search starts from the mode of the step before. Shapes are padded to a few
sizes, so that a growing set of observed cells reuses compiled code.
"""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from accuracy_assay.errors import ConvergenceError
from accuracy_assay.numerics.anova import Cells, Layout, kernel
from accuracy_assay.numerics.laplace import Labels, Mode, evidence_and_slopes, find_mode

__all__ = ["Fitted", "fit_mode", "maximise_evidence", "pad_rows", "padded_size"]

FloatArray = npt.NDArray[np.float64]

_SIZES = (64, 128, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192)
_BELOW, _ABOVE = 6.0, 5.0
_NOT_FINITE = 1e10


@dataclass(frozen=True)
class Fitted:
    """A fitted model: theta, the value of the objective and the posterior mode, padded."""

    theta: FloatArray
    value: float
    cells: Cells
    mode: Mode
    layout: Layout


def padded_size(n: int) -> int:
    """Return the least allowed length that holds ``n`` entries."""
    return next((size for size in _SIZES if n <= size), -(-n // 2048) * 2048)


def pad_rows(array: npt.NDArray[np.generic], size: int, fill: float = 0.0) -> jax.Array:
    """Return ``array`` with rows of ``fill`` added up to ``size`` rows."""
    extra = ((0, size - array.shape[0]), *((0, 0) for _ in array.shape[1:]))
    return jnp.asarray(np.pad(array, extra, constant_values=fill))


# Four programs and not one: those that do not know the layout are compiled once for all spaces,
# and a fit at a given theta shares the search for the mode with the search for theta.
_kernel = jax.jit(kernel, static_argnames="layout")
_find_mode = jax.jit(find_mode)
_evidence_and_slopes = jax.jit(evidence_and_slopes)


@partial(jax.jit, static_argnames="layout")
def _pull_back(theta: jax.Array, cells: Cells, slope_K: jax.Array, layout: Layout) -> jax.Array:
    """Return the derivative with respect to theta of what has the derivative slope_K in K."""
    _, pull = jax.vjp(lambda t: kernel(t, cells, cells, layout), theta)
    slope: jax.Array = pull(slope_K)[0]
    return slope


def _objective(
    theta: jax.Array, cells: Cells, labels: Labels, start: jax.Array, layout: Layout
) -> tuple[jax.Array, FloatArray, Mode]:
    """Return log Z, its gradient in theta and the mode."""
    K, mu = _kernel(theta, cells, cells, layout), theta[0]
    mode = _find_mode(K, mu, labels, start)
    log_z, slope_K, slope_mu = _evidence_and_slopes(K, mu, labels, mode)
    slope = np.array(_pull_back(theta, cells, slope_K, layout))
    slope[0] += slope_mu
    return log_z, slope, mode


def fit_mode(
    theta: jax.Array, cells: Cells, labels: Labels, start: jax.Array, layout: Layout
) -> Mode:
    """Return the posterior mode at a given theta."""
    mode: Mode = _find_mode(_kernel(theta, cells, cells, layout), theta[0], labels, start)
    mode.H.block_until_ready()
    return mode


class _Search:
    """The loss along one search; each Newton search starts from the best mode so far."""

    def __init__(self, cells: Cells, labels: Labels, layout: Layout, g: jax.Array) -> None:
        self.cells, self.labels, self.layout, self.g = cells, labels, layout, g
        self.least = _NOT_FINITE
        self.best: tuple[FloatArray, Mode] | None = None

    def loss(self, theta: FloatArray) -> tuple[float, FloatArray]:
        """Return minus the objective and its gradient; a huge value where it is not finite."""
        at = jnp.asarray(theta)
        log_z, slope, mode = _objective(at, self.cells, self.labels, self.g, self.layout)
        away = theta - self.layout.prior_mean
        pull = self.layout.prior_precision @ away
        value, down = 0.5 * float(away @ pull) - float(log_z), pull - slope
        if not (np.isfinite(value) and np.isfinite(down).all()):
            return _NOT_FINITE, np.zeros_like(theta)
        if value < self.least:
            self.least, self.g, self.best = value, mode.g, (theta.copy(), mode)
        return value, down


def maximise_evidence(
    cells: Cells,
    labels: Labels,
    layout: Layout,
    starts: list[FloatArray],
    *,
    max_steps: int,
    guess: npt.NDArray[np.float64] | None = None,
) -> Fitted:
    """Return the best fit over the given starting points.

    Parameters
    ----------
    cells, labels
        Padded arrays.
    starts
        Values of theta to start from.
    max_steps
        L-BFGS iterations.
    guess
        Guess of g (J,) for the first Newton search.

    Raises
    ------
    ConvergenceError
        If no start reaches a finite value.
    """
    m = layout.prior_mean
    bounds = [(a - _BELOW, a + _ABOVE) for a in m]
    first = jnp.zeros(cells.arm.shape[0]) if guess is None else jnp.asarray(guess)
    best: Fitted | None = None
    for theta0 in starts:
        search = _Search(cells, labels, layout, first)
        begin = np.clip(theta0, m - _BELOW, m + _ABOVE)
        at_begin = search.loss(begin)
        unit = max(1.0, float(np.linalg.norm(at_begin[1])))

        def scaled(
            theta: FloatArray,
            search: _Search = search,
            begin: FloatArray = begin,
            at_begin: tuple[float, FloatArray] = at_begin,
            unit: float = unit,
        ) -> tuple[float, FloatArray]:
            is_begin = np.array_equal(theta, begin)
            value, slope = at_begin if is_begin else search.loss(theta)
            return value / unit, slope / unit

        minimize(
            scaled,
            begin,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": max_steps, "maxcor": 20, "ftol": 1e-7},
        )
        if search.best is not None and (best is None or -search.least > best.value):
            theta, mode = search.best
            best = Fitted(theta, -search.least, cells, mode, layout)
    if best is None:
        raise ConvergenceError(
            "the evidence must be finite somewhere; got no finite value from any start. "
            "Check the labels for extreme weights."
        )
    return best
