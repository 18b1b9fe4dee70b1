"""Laplace approximation for labels that observe a mixture of cells, as with guessed attributes.

Notation: see the sub-package. Besides: dq (R, J) holds d q_r / d eta_j = P_rj rho_j (1 - rho_j),
F is (I + W K)^-1, and a (J,) stands for g during the search for the mode, f = K a.

    log p(y | eta) = sum_r y_r log q_r + (n_r - y_r) log(1 - q_r)
    W = dq' diag(n / (q (1 - q))) dq                  Fisher information
    C = K F,  H' H = F W,  log |B| = -log |F|

The same approximation as in ``laplace``, whose W is diagonal. A row touches few of the cells, so P
is sparse and work over rows is linear in its entries. The rest is a handful of dense products
among J cells, for which LAPACK needs no compilation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import jax
import numpy as np
import numpy.typing as npt
from scipy.linalg import lu_factor, lu_solve
from scipy.linalg.lapack import dpstrf
from scipy.sparse import csr_array, diags_array
from scipy.special import expit

from accuracy_assay.numerics.gp.laplace import Mode
from accuracy_assay.numerics.gp.newton import LEAST_STEP, MOST_STEPS, step_size
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.device import put

__all__ = ["Mixtures", "marginal_and_slopes", "posterior", "respond"]

_LEAST_CHANCE = 1e-12  # success probabilities stay this far from 0 and 1, so that logs are finite
# Below this share of the largest entry of H' H, what is left when H is factorised is rounding.
_NO_VARIANCE = 1e-13
# With a smaller share of the observed information, a step uses the Fisher information alone.
_LEAST_LEAN = 0.1
# A step longer than this share of the one before needs a new factor.
_LEAST_SHRINK = 0.5
# Steps towards the mode of other mixtures. Chosen by hand: more moved the rates of four tasks by
# less than a hundredth of their deviation on average.
_RESPONSE_STEPS = 2


class Mixtures(NamedTuple):
    """Successes y (R,), trials n (R,) and the mixture P (R, J), which is sparse."""

    y: FloatArray
    n: FloatArray
    P: csr_array


class _Point(NamedTuple):
    """What follows from eta: rho (1 - rho), 1 - 2 rho (J,), q (R,) and dq (R, J)."""

    slope: FloatArray
    bow: FloatArray
    q: FloatArray
    dq: csr_array


class _MixtureCurvature(NamedTuple):
    """W (J, J), or what replaces it, and LAPACK's factors of I + W K."""

    W: csr_array
    factor: tuple[FloatArray, npt.NDArray[np.int32]]


class _Top(NamedTuple):
    """The mode: eta, g (J,), W and F (J, J), 1/2 log |B|."""

    eta: FloatArray
    g: FloatArray
    W: csr_array
    F: FloatArray
    half_log_det: float


def marginal_and_slopes(
    K: npt.ArrayLike, mu: float, labels: Mixtures, start: npt.ArrayLike
) -> tuple[float, FloatArray, FloatArray]:
    """Return log Z, its derivative with respect to K (symmetric), and g at the mode.

    Arrays over cells may be longer than P is wide: the rest is padding and gets zeros.
    """
    kernel, guess, size = _without_padding(K, labels, start)
    top = _find_mode(kernel, mu, labels, guess)
    shift = _mean_shift(kernel, labels, top)
    cross = np.outer(shift, top.g)
    slope = 0.5 * (np.outer(top.g, top.g) - top.F @ top.W + cross + cross.T)
    return _log_marginal(mu, labels, top), _padded(slope, size), _padded(top.g, size)


def posterior(
    K: npt.ArrayLike, mu: float, labels: Mixtures, start: npt.ArrayLike
) -> tuple[float, Mode, jax.Array]:
    """Return log Z, the mode, and the posterior mean as weights of the kernel's columns."""
    kernel, guess, size = _without_padding(K, labels, start)
    top = _find_mode(kernel, mu, labels, guess)
    weights = top.g + _mean_shift(kernel, labels, top)
    eta = np.full(size, mu)
    eta[: top.eta.size] = top.eta
    H = _padded(_root(top.F @ top.W), size)
    mode = Mode(put(eta), put(_padded(top.g, size)), put(H), put(top.half_log_det))
    return _log_marginal(mu, labels, top), mode, put(_padded(weights, size))


def respond(
    K: npt.ArrayLike, mu: float, labels: Mixtures, others: Sequence[Mixtures], mode: Mode
) -> FloatArray:
    """Return how far g moves if labels observe other mixtures of the same cells, (J, B).

    Newton steps from the mode with its factor, which is computed once.
    """
    kernel, g, size = _without_padding(K, labels, mode.g)
    at_mode = _at(np.asarray(mode.eta)[: g.size], labels)
    curvature = _curvature(kernel, _observed_information(at_mode, labels))
    moved = np.zeros((size, len(others)))
    for b, other in enumerate(others):

        def height(f: FloatArray, a: FloatArray, other: Mixtures = other) -> float:
            return float(_log_likelihood(mu + f, other) - 0.5 * f @ a)

        f, a = kernel @ g, g
        for _ in range(_RESPONSE_STEPS):
            up = _gradient(_at(mu + f, other), other)
            to_a = _toward(curvature, np.zeros_like(a), up - a)
            to_f = kernel @ to_a
            step = step_size(height, f, a, to_f, to_a)
            f, a = f + step * to_f, a + step * to_a
        moved[: g.size, b] = a - g
    return moved


def _find_mode(K: FloatArray, mu: float, labels: Mixtures, start: FloatArray) -> _Top:
    """Return the mode; ``start`` (J,) is a guess of g, used if it helps.

    For any W, (I + W K) a' = W f + g leaves a unchanged exactly if a = g, at the mode. With the
    observed information for W this is a Newton step. Its factor is kept while each step is far
    shorter than the one before: a step costs J^2, a factor J^3.
    """

    def height(f: FloatArray, a: FloatArray) -> float:
        return float(_log_likelihood(mu + f, labels) - 0.5 * f @ a)

    zero = np.zeros_like(start)
    f, a = K @ start, start
    if not height(f, a) > height(zero, zero):
        f, a = zero, zero
    curvature: _MixtureCurvature | None = None
    lean, before = 1.0, np.inf
    for _ in range(MOST_STEPS):
        at = _at(mu + f, labels)
        up = _gradient(at, labels)
        to_a = zero if curvature is None else _toward(curvature, f, up) - a
        if curvature is None or not _leads_up(K, up - a, to_a):
            curvature, lean = _lean_curvature(K, labels, at, f, a, lean)
            to_a, before = _toward(curvature, f, up) - a, np.inf
        to_f = K @ to_a
        change = float(np.abs(to_f).max(initial=0.0))
        size = step_size(height, f, a, to_f, to_a)
        f, a = f + size * to_f, a + size * to_a
        if change <= LEAST_STEP:
            break
        if change > _LEAST_SHRINK * before:
            curvature = None
        before = change
    at = _at(mu + f, labels)
    W, factor = _curvature(K, _information(at, labels))
    F = lu_solve(factor, np.eye(K.shape[0]), overwrite_b=True, check_finite=False)
    half_log_det = 0.5 * float(np.log(np.abs(np.diagonal(factor[0]))).sum())
    return _Top(mu + f, _gradient(at, labels), W, F, half_log_det)


def _lean_curvature(
    K: FloatArray, labels: Mixtures, at: _Point, f: FloatArray, a: FloatArray, lean: float
) -> tuple[_MixtureCurvature, float]:
    """Return a curvature whose step from f leads up, and the share ``lean`` to try next time.

    Far from the mode the observed information may lead down; the Fisher information never does.
    A step uses the largest share ``lean`` of the observed information that still leads up.
    """
    up, expected = _gradient(at, labels), _information(at, labels)
    more = _observed_information(at, labels) - expected
    while True:
        curvature = _curvature(K, expected + lean * more)
        if lean == 0.0 or _leads_up(K, up - a, _toward(curvature, f, up) - a):
            return curvature, max(min(1.0, 2.0 * lean), _LEAST_LEAN)
        lean = 0.5 * lean if lean > _LEAST_LEAN else 0.0


def _leads_up(K: FloatArray, slope: FloatArray, to_a: FloatArray) -> bool:
    """Return whether the posterior rises along ``to_a``; K ``slope`` is its derivative in a."""
    return bool(slope @ (K @ to_a) >= 0.0)


def _curvature(K: FloatArray, W: csr_array) -> _MixtureCurvature:
    """Return W with the factors of I + W K."""
    system = W @ K
    system[np.diag_indices_from(system)] += 1.0
    factors, order = lu_factor(system, overwrite_a=True, check_finite=False)
    return _MixtureCurvature(W, (factors, order))


def _toward(curvature: _MixtureCurvature, f: FloatArray, up: FloatArray) -> FloatArray:
    """Return a' of one step from f with the slope ``up``."""
    wanted = curvature.W @ f + up
    return np.asarray(lu_solve(curvature.factor, wanted, overwrite_b=True, check_finite=False))


def _mean_shift(K: FloatArray, labels: Mixtures, top: _Top) -> FloatArray:
    """Return how far the mean of f is from its mode, as ``laplace.mean_shift``.

    The observed information replaces W.
    """
    n, P = labels.n, labels.P
    at = _at(top.eta, labels)
    spread = at.q * (1.0 - at.q)
    C = K @ top.F
    # The slope of -1/2 sum_r n_r (dq C dq')_rr / (q_r (1 - q_r)) with C fixed. Only the entries of
    # dq C at those of P count.
    row, cell = np.repeat(np.arange(n.size), np.diff(P.indptr)), P.indices
    dqC = (at.dq @ (0.5 * (C + C.T)))[row, cell]
    variance = np.bincount(row, at.dq.data * dqC, n.size)
    by_row = 0.5 * n * (1.0 - 2.0 * at.q) / spread**2 * variance
    weighed = np.bincount(cell, P.data * (n / spread)[row] * dqC, P.shape[1])
    tilt = at.slope * (P.T @ by_row - at.bow * weighed)
    curvature = _curvature(K, _observed_information(at, labels))
    return _toward(curvature, np.zeros_like(tilt), tilt)


def _log_likelihood(eta: FloatArray, labels: Mixtures) -> float:
    q = _success_rate(expit(eta), labels)
    return float(labels.y @ np.log(q) + (labels.n - labels.y) @ np.log1p(-q))


def _log_marginal(mu: float, labels: Mixtures, top: _Top) -> float:
    f = top.eta - mu
    return float(_log_likelihood(top.eta, labels) - 0.5 * f @ top.g - top.half_log_det)


def _success_rate(rho: FloatArray, labels: Mixtures) -> FloatArray:
    return np.asarray(np.clip(labels.P @ rho, _LEAST_CHANCE, 1.0 - _LEAST_CHANCE))


def _at(eta: FloatArray, labels: Mixtures) -> _Point:
    rho = expit(eta)
    slope = rho * (1.0 - rho)
    dq = labels.P.copy()
    dq.data *= slope[dq.indices]
    return _Point(slope, 1.0 - 2.0 * rho, _success_rate(rho, labels), dq)


def _gradient(at: _Point, labels: Mixtures) -> FloatArray:
    """Return d log p / d eta, (J,)."""
    return np.asarray(at.dq.T @ ((labels.y - labels.n * at.q) / (at.q * (1.0 - at.q))))


def _information(at: _Point, labels: Mixtures) -> csr_array:
    """Return W."""
    return at.dq.T @ _times_rows(labels.n / (at.q * (1.0 - at.q)), at.dq)


def _observed_information(at: _Point, labels: Mixtures) -> csr_array:
    """Return minus the second derivative of log p along eta."""
    y, n, q = labels.y, labels.n, at.q
    pull = labels.P.T @ (y / q - (n - y) / (1.0 - q)) * at.slope * at.bow
    bend = y / q**2 + (n - y) / (1.0 - q) ** 2
    return at.dq.T @ _times_rows(bend, at.dq) - diags_array(pull)


def _times_rows(factor: FloatArray, matrix: csr_array) -> csr_array:
    scaled = matrix.copy()
    scaled.data *= np.repeat(factor, np.diff(matrix.indptr))
    return scaled


def _root(X: FloatArray) -> FloatArray:
    """Return H with H' H = X, which is symmetric and positive semi-definite."""
    symmetric = 0.5 * (X + X.T)
    least = _NO_VARIANCE * max(float(np.abs(symmetric).max(initial=0.0)), 1.0)
    factor, order, rank, _ = dpstrf(symmetric, tol=least, lower=0)
    H = np.zeros_like(symmetric)
    H[:rank, order - 1] = np.triu(factor)[:rank]
    return H


def _without_padding(
    K: npt.ArrayLike, labels: Mixtures, start: npt.ArrayLike
) -> tuple[FloatArray, FloatArray, int]:
    """Return K and the start at the cells of P, and the padded number of cells."""
    J = labels.P.shape[1]
    kernel, guess = np.asarray(K), np.asarray(start)
    return kernel[:J, :J], guess[:J], kernel.shape[0]


def _padded(part: FloatArray, size: int) -> FloatArray:
    """Return an array (J,) or (J, J) with zeros up to ``size``."""
    return np.pad(part, [(0, size - length) for length in part.shape])
