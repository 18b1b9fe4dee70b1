"""Laplace approximation for labels that observe a mixture of cells, as with guessed attributes.

Notation: see the sub-package. Besides: dq (R, J) holds d q_r / d eta_j = P_rj rho_j (1 - rho_j),
O is minus the second derivative of log p along eta, the observed information, and a (J,) stands
for g during the search for the mode, f = K a.

    log p(y | eta) = sum_r y_r log q_r + (n_r - y_r) log(1 - q_r)
    W = dq' diag(n / (q (1 - q))) dq                  Fisher information
    O = dq' diag(y / q^2 + (n - y) / (1 - q)^2) dq - diag(pull)

The same approximation as in ``laplace``, whose W is diagonal. A row touches few of the cells, so P
is sparse and work over rows is linear in its entries. W is factorised where a search begins and at
the mode (``mixture_curvature``); what takes O instead is solved by conjugate gradients, which cost
a product with K each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.special import expit

from accuracy_assay.numerics.gp.laplace import Mode
from accuracy_assay.numerics.gp.mixture_curvature import Curvature, RowRoot, curvature_of
from accuracy_assay.numerics.gp.newton import LEAST_STEP, MOST_STEPS, step_size
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.padding import padded_size

__all__ = ["Mixtures", "Top", "find_top", "marginal_and_slopes", "respond"]

_LEAST_CHANCE = 1e-12  # success probabilities stay this far from 0 and 1, so that logs are finite
# Least and largest relative error of a Newton step, as large as the step before was long; and of
# what no later step mends.
_ROUGH, _EXACT = (1e-3, 0.1), 1e-8
# Products with K of one solve, and those above which a factor is too far off to be kept.
_MOST_PRODUCTS, _MANY_PRODUCTS = 100, 30
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


class _Solved(NamedTuple):
    """x, K x, and the products with K that it took."""

    x: FloatArray
    Kx: FloatArray
    n_products: int


@dataclass(frozen=True, eq=False)
class Top:
    """The mode, its evidence, and what the posterior around it is made from.

    Parameters
    ----------
    K, mu, labels
        The kernel at the cells of P, the prior mean, and the labels.
    eta, g
        Logits and slope of the log-likelihood at the mode, (J,).
    log_z
        log Z.
    size
        Length of arrays over cells, whose rest is padding.
    """

    K: FloatArray
    mu: float
    labels: Mixtures
    eta: FloatArray
    g: FloatArray
    log_z: float
    size: int
    _at: _Point
    _curvature: Curvature

    def mean_shift(self) -> FloatArray:
        """Return how far the mean of f is from its mode, as ``laplace.mean_shift``.

        O replaces W.
        """
        n, P, at = self.labels.n, self.labels.P, self._at
        spread = at.q * (1.0 - at.q)
        # The slope of -1/2 sum_r n_r (dq C dq')_rr / (q_r (1 - q_r)) with C fixed. Only the
        # entries of dq C at those of P count.
        row, cell = np.repeat(np.arange(n.size), np.diff(P.indptr)), P.indices
        dqC = self._curvature.covariance_at(at.dq, row, cell)
        variance = np.bincount(row, at.dq.data * dqC, n.size)
        by_row = 0.5 * n * (1.0 - 2.0 * at.q) / spread**2 * variance
        weighed = np.bincount(cell, P.data * (n / spread)[row] * dqC, P.shape[1])
        tilt = at.slope * (P.T @ by_row - at.bow * weighed)
        return _solve(self.K, at, self.labels, self._curvature, tilt[:, None], _EXACT).x[:, 0]

    def slopes(self) -> FloatArray:
        """Return the derivative of log Z with respect to K, symmetric, (size, size)."""
        cross = np.outer(self.mean_shift(), self.g)
        explained = self._curvature.explained()
        return _padded(0.5 * (np.outer(self.g, self.g) - explained + cross + cross.T), self.size)

    def posterior(self) -> tuple[Mode, FloatArray, RowRoot | None]:
        """Return the mode, the posterior mean as weights of the kernel's columns, and a root.

        The root of H' H that rows give, if they are fewer than cells.
        """
        eta = np.full(self.size, self.mu)
        eta[: self.eta.size] = self.eta
        H = self._curvature.root()
        H = np.pad(H, [(0, padded_size(H.shape[0]) - H.shape[0]), (0, self.size - H.shape[1])])
        weights = _padded(self.g + self.mean_shift(), self.size)
        log_det = put(np.asarray(self._curvature.half_log_det))
        mode = Mode(put(eta), put(_padded(self.g, self.size)), put(H), log_det)
        return mode, weights, self._curvature.row_root


def find_top(K: npt.ArrayLike, mu: float, labels: Mixtures, start: npt.ArrayLike) -> Top:
    """Return the mode; ``start`` (J,) is a guess of g, used if it helps.

    Arrays over cells may be longer than P is wide: the rest is padding and gets zeros.

    A Newton search with the observed information.
    """
    kernel, guess, size = _without_padding(K, labels, start)

    def height(f: FloatArray, a: FloatArray) -> float:
        return float(_log_likelihood(mu + f, labels) - 0.5 * f @ a)

    zero = np.zeros_like(guess)
    f, a = kernel @ guess, guess
    if not height(f, a) > height(zero, zero):
        f, a = zero, zero
    curvature: Curvature | None = None
    change = np.inf
    for _ in range(MOST_STEPS):
        at = _at(mu + f, labels)
        if curvature is None:
            curvature = _curvature(kernel, at, labels)
        up, rough = (_gradient(at, labels) - a)[:, None], float(np.clip(change, *_ROUGH))
        solved = _solve(kernel, at, labels, curvature, up, rough)
        to_a, to_f = solved.x[:, 0], solved.Kx[:, 0]
        change = float(np.abs(to_f).max(initial=0.0))
        share = step_size(height, f, a, to_f, to_a)
        f, a = f + share * to_f, a + share * to_a
        if change * max(change, rough) <= LEAST_STEP:
            break
        if solved.n_products > _MANY_PRODUCTS:
            curvature = None
    at = _at(mu + f, labels)
    g, curvature = _gradient(at, labels), _curvature(kernel, at, labels)
    log_z = _log_likelihood(mu + f, labels) - 0.5 * float(f @ g) - curvature.half_log_det
    return Top(kernel, mu, labels, mu + f, g, log_z, size, at, curvature)


def marginal_and_slopes(
    K: npt.ArrayLike, mu: float, labels: Mixtures, start: npt.ArrayLike
) -> tuple[float, FloatArray, FloatArray]:
    """Return log Z, its derivative with respect to K (symmetric), and g at the mode."""
    top = find_top(K, mu, labels, start)
    return top.log_z, top.slopes(), _padded(top.g, top.size)


def respond(
    K: npt.ArrayLike, mu: float, labels: Mixtures, others: Sequence[Mixtures], mode: Mode
) -> FloatArray:
    """Return how far g moves if labels observe other mixtures of the same cells, (J, B).

    Newton steps from the mode with the information of the labels.
    """
    kernel, g, size = _without_padding(K, labels, mode.g)
    at_mode = _at(np.asarray(mode.eta)[: g.size], labels)
    curvature = _curvature(kernel, at_mode, labels)
    a = np.repeat(g[:, None], len(others), axis=1)
    f = kernel @ a
    for _ in range(_RESPONSE_STEPS):
        up = [_gradient(_at(mu + of, other), other) for of, other in zip(f.T, others, strict=True)]
        solved = _solve(kernel, at_mode, labels, curvature, np.stack(up, axis=1) - a, _EXACT)
        for b, other in enumerate(others):

            def height(f: FloatArray, a: FloatArray, other: Mixtures = other) -> float:
                return float(_log_likelihood(mu + f, other) - 0.5 * f @ a)

            to_f, to_a = solved.Kx[:, b], solved.x[:, b]
            share = step_size(height, f[:, b], a[:, b], to_f, to_a)
            f[:, b] += share * to_f
            a[:, b] += share * to_a
    return np.pad(a - g[:, None], ((0, size - g.size), (0, 0)))


def _solve(
    K: FloatArray,
    at: _Point,
    labels: Mixtures,
    curvature: Curvature,
    right: FloatArray,
    tolerance: float,
) -> _Solved:
    """Return x = (I + O K)^-1 ``right`` for columns (J, m), up to a relative error.

    Conjugate gradients in the inner product x' K y, in which I + O K is symmetric. Far from the
    mode O may bend the wrong way; then the steps taken so far lead up, since the Fisher
    information, which preconditions, never does.
    """
    y, n, q = labels.y, labels.n, at.q
    bend = (y / q**2 + (n - y) / (1.0 - q) ** 2)[:, None]
    pull = (labels.P.T @ (y / q - (n - y) / (1.0 - q)) * at.slope * at.bow)[:, None]
    x, Kx = np.zeros_like(right), np.zeros_like(right)
    left, p = right, curvature.solve(right)
    Kp = K @ p
    size = _inner(left, Kp)
    enough = tolerance**2 * size
    moves, n_products = size > enough, 1  # a column that has settled stays as it is
    while moves.any() and n_products < _MOST_PRODUCTS:
        Op = p + at.dq.T @ (bend * (at.dq @ Kp)) - pull * Kp
        rise = _inner(Kp, Op)
        if (rise[moves] <= 0.0).any():
            break
        share = np.where(moves, size / np.where(moves, rise, 1.0), 0.0)
        x, Kx, left = x + share * p, Kx + share * Kp, left - share * Op
        z = curvature.solve(left)
        Kz = K @ z
        n_products += 1
        before, size = size, _inner(left, Kz)
        turn = np.where(moves, size / np.where(moves, before, 1.0), 0.0)
        p, Kp = z + turn * p, Kz + turn * Kp
        moves = moves & (size > enough)
    return _Solved(x, Kx, n_products) if n_products > 1 else _Solved(p, Kp, 1)


def _inner(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the inner product of each column."""
    return np.asarray(np.einsum("jm,jm->m", x, y))


def _curvature(K: FloatArray, at: _Point, labels: Mixtures) -> Curvature:
    """Return the factors of I + W K."""
    root = at.dq.copy()
    weight = np.sqrt(labels.n / (at.q * (1.0 - at.q)))
    root.data *= np.repeat(weight, np.diff(root.indptr))
    return curvature_of(K, root)


def _log_likelihood(eta: FloatArray, labels: Mixtures) -> float:
    q = _success_rate(expit(eta), labels)
    return float(labels.y @ np.log(q) + (labels.n - labels.y) @ np.log1p(-q))


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


def _without_padding(
    K: npt.ArrayLike, labels: Mixtures, start: npt.ArrayLike
) -> tuple[FloatArray, FloatArray, int]:
    """Return K and the start at the cells of P, and the padded number of cells."""
    J = labels.P.shape[1]
    kernel, guess = np.asarray(K), np.asarray(start)
    return np.ascontiguousarray(kernel[:J, :J]), guess[:J], kernel.shape[0]


def _padded(part: FloatArray, size: int) -> FloatArray:
    """Return an array (J,) or (J, J) with zeros up to ``size``."""
    return np.pad(part, [(0, size - length) for length in part.shape])
