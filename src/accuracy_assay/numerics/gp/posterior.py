"""The posterior of a fitted model at any cells, and the moments of their accuracies.

Notation: see the sub-package. eta at the targets is normal with mean mu + K* weights and
covariance C = K** - V V'. Moments of rho are integrals over normals, by Gauss-Hermite quadrature.
"""

from functools import partial
from typing import NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from accuracy_assay.numerics.gp.anova import MEAN_LOGIT, CellArrays, kernel_diagonal
from accuracy_assay.numerics.gp.kernel_matrix import KernelTables, kernel
from accuracy_assay.numerics.gp.marginal_likelihood import FittedGP
from accuracy_assay.numerics.gp.mixture_curvature import RowRoot
from accuracy_assay.numerics.gp.triangular import times_large_lower_transposed
from accuracy_assay.numerics.quadrature import NODES_OF_MOMENTS, normal_rule, sigmoid_at_nodes
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.device import has_accelerator, put
from accuracy_assay.runtime.programs import program

__all__ = [
    "Targets",
    "covariance",
    "logistic_terms",
    "mixed_variance",
    "predict",
    "predict_far",
    "rate_covariance",
]

Table = TypeVar("Table", jax.Array, FloatArray)


_LEAST_VARIANCE = 1e-10  # of eta; what rounding may leave of a prior variance near one
# Terms kept of Mehler's sum. Each costs one more product per pair of cells; three leave out less
# than 2% of a covariance for the means and variances of fits (see the test).
_TERMS = 3
# Pairs of cells whose covariances are in memory together: 2^22 take 32 MB, a few times over. An
# arm with more is processed alone.
_PAIRS_AT_ONCE = 2**22
# Most observed cells, padded, of predictions in 64 bits at arms without rows.
_MOST_CELLS_DOUBLE = 2048
_MOST_ROWS_AT_ONCE = 256  # arms in one batch; larger batches are no faster
# Targets at once where H is kept by rows. Most padded sizes are multiples: blocks have one shape.
_TARGETS_AT_ONCE = 512

_kernel = program(kernel)


class Targets(NamedTuple):
    """Cells with their posterior: V, variance of eta (T,), `logistic_terms`, numbers (T,).

    Entries with the same number are the same cell.
    """

    cells: CellArrays
    V: jax.Array
    variance: jax.Array
    terms: jax.Array
    number: jax.Array

    def take(self, index: jax.Array) -> "Targets":
        """Return the targets at the given positions."""
        taken: Targets = jax.tree.map(lambda part: part[index], self)
        return taken


def _prior(fitted: FittedGP, targets: CellArrays) -> tuple[jax.Array, jax.Array]:
    """Return K* and the diagonal of K**."""
    cross = _kernel(fitted.tables, targets, fitted.cells)
    return cross, put(kernel_diagonal(fitted.theta, targets, fitted.layout))


@partial(program, static_argnames="is_lower")
def _condition(
    mu: float,
    cross: jax.Array,
    prior: jax.Array,
    H: jax.Array,
    weights: jax.Array,
    *,
    is_lower: bool,
) -> tuple[jax.Array, jax.Array, jax.Array]:
    V = times_large_lower_transposed(cross, H) if is_lower else cross @ H.T
    variance = prior - jnp.sum(V * V, axis=1)
    return mu + cross @ weights, jnp.maximum(variance, _LEAST_VARIANCE), V


def predict(fitted: FittedGP, targets: CellArrays) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return mean and variance of eta at the targets (T,), and V."""
    if fitted.row_root is not None:
        size, width = targets.arm.shape[0], fitted.mode.H.shape[0]
        made = np.zeros((size, width))
        mean, variance = _by_rows(fitted, fitted.row_root, targets, made)
        return put(mean), put(variance), put(made)
    prior = _prior(fitted, targets)
    H, is_lower = fitted.mode.H, fitted.has_lower_root
    mean, variance, V = _condition(MEAN_LOGIT, *prior, H, fitted.weights, is_lower=is_lower)
    V.block_until_ready()
    return mean, variance, V


def _by_rows(
    fitted: FittedGP, root: RowRoot, targets: CellArrays, V: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of eta at the targets, in blocks; V (T, R) is filled if given."""
    size, n_cells = targets.arm.shape[0], root.A.shape[1]
    weights, rows = np.asarray(fitted.weights)[:n_cells], root.A.shape[0]
    mean, variance = np.empty(size), np.empty(size)
    for start in range(0, size, _TARGETS_AT_ONCE):
        part = slice(start, start + _TARGETS_AT_ONCE)
        block = jax.tree.map(lambda column, at=part: column[at], targets)
        cross = np.asarray(_kernel(fitted.tables, fitted.cells, block))[:n_cells]
        prior = kernel_diagonal(fitted.theta, block, fitted.layout)
        mean[part] = MEAN_LOGIT + weights @ cross
        explained = root.onto(cross)
        variance[part] = prior - np.einsum("rt,rt->t", explained, explained)
        if V is not None:
            V[part, :rows] = explained.T
    return mean, np.maximum(variance, _LEAST_VARIANCE)


@program
def _condition_single(
    mu: float, cross: jax.Array, prior: jax.Array, H: jax.Array, weights: jax.Array
) -> tuple[jax.Array, jax.Array]:
    V = times_large_lower_transposed(cross.astype(jnp.float32), H.astype(jnp.float32))
    variance = prior - jnp.sum(V * V, axis=1)
    return mu + cross @ weights, jnp.maximum(variance, _LEAST_VARIANCE)


def predict_far(fitted: FittedGP, targets: CellArrays) -> tuple[jax.Array, jax.Array]:
    """Return mean and variance of eta at cells of arms without rows, (T,) each.

    With many observed cells the variance is computed in 32 bits. Such arms may be tens of
    thousands, and no label makes their variance so small that rounding shows.
    """
    if fitted.row_root is not None:
        mean, variance = _by_rows(fitted, fitted.row_root, targets)
        return put(mean), put(variance)
    H, weights = fitted.mode.H, fitted.weights
    if not fitted.has_lower_root or H.shape[0] <= _MOST_CELLS_DOUBLE or has_accelerator():
        return predict(fitted, targets)[:2]
    prior = _prior(fitted, targets)
    mean, variance = _condition_single(MEAN_LOGIT, *prior, H, weights)
    return mean, variance


@program
def covariance(
    tables: KernelTables, targets: Targets, rows: jax.Array, columns: jax.Array
) -> jax.Array:
    """Return the posterior covariance of rho between targets at two sets of positions, (m, n)."""
    return _between(tables, targets.take(rows), targets.take(columns))


def _between(tables: KernelTables, rows: Targets, columns: Targets) -> jax.Array:
    C = kernel(tables, rows.cells, columns.cells) - rows.V @ columns.V.T
    correlation = C / jnp.sqrt(rows.variance[:, None] * columns.variance[None, :])
    is_same = rows.number[:, None] == columns.number[None, :]
    return rate_covariance(correlation, is_same, rows.terms, columns.terms)


def rate_covariance(correlation: Table, is_same: Table, left: Table, right: Table) -> Table:
    """Return the covariance of rho between cells from the correlation of eta.

    Parameters
    ----------
    correlation, is_same
        Between cells, and whether two are the same cell, (..., m, n).
    left, right
        ``logistic_terms`` of the cells, (..., m, terms + 1) and (..., n, terms + 1).
    """
    correlation = correlation.clip(-1.0, 1.0)
    total = is_same * left[..., :, None, 0] * right[..., None, :, 0]
    for k in range(_TERMS, 0, -1):
        total = total + left[..., :, None, k] * right[..., None, :, k] * correlation**k
    return total


@program
def mixed_variance(
    tables: KernelTables, targets: Targets, index: jax.Array, weight: jax.Array
) -> jax.Array:
    """Return the variance of each row's sum of weight times rho at the target ``index``.

    ``index`` and ``weight`` have one row per sum and one column per summand.
    """

    def variance(row: tuple[jax.Array, jax.Array]) -> jax.Array:
        at, w = row
        part = targets.take(at)
        mixed: jax.Array = w @ _between(tables, part, part) @ w
        return mixed

    at_once = min(max(_PAIRS_AT_ONCE // index.shape[1] ** 2, 1), _MOST_ROWS_AT_ONCE)
    variances: jax.Array = jax.lax.map(variance, (index, weight), batch_size=at_once)
    return variances


def logistic_terms(mean: FloatArray, variance: FloatArray, within: float = 0.0) -> FloatArray:
    """Return the terms of covariances of sigmoid(eta) between cells, (T, terms + 1).

    With the correlation of eta at two cells, Cov(rho, rho') = sum over k > 0 of
    term_k term'_k correlation^k (Mehler), where term_k = E[rho He_k] / sqrt(k!) with the Hermite
    polynomials He_k of standardised eta. The sum is cut after a few terms; column 0 is the
    deviation that they leave out, so each cell keeps its exact variance. With ``within``, rho is
    E[sigmoid(eta + u)], u ~ N(0, within).
    """
    nodes, weights = normal_rule(NODES_OF_MOMENTS)
    rho = sigmoid_at_nodes(mean, variance, within)
    polynomials = np.polynomial.hermite_e.hermevander(nodes, _TERMS)
    factorials = np.cumprod(np.maximum(np.arange(_TERMS + 1.0), 1.0))
    terms = rho @ (weights[:, None] * polynomials / np.sqrt(factorials))
    spread = (rho - terms[:, :1]) ** 2 @ weights
    terms[:, 0] = np.sqrt(np.maximum(spread - (terms[:, 1:] ** 2).sum(axis=1), 0.0))
    return np.asarray(terms)
