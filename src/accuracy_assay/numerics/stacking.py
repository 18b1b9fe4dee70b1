"""How far to trust each predictor and each joint prior, learned from gold rows.

Notation
--------
m, A       gold rows, arms; K attributes of V_k values, V = sum_k V_k
log_m      K arrays (m, V_k): log M_k of each row (`calibration_loss`)
G_f        (A,) log-ratio of joint prior f to the product of its marginals
fold       (m,) rows of fold j are judged by priors that did not see them

    log P(a|x) = sum_k [t_k log M_k(a_k|x) + b_k(a_k)] + sum_f c_f G_f(a) - log Z

maximises the posterior of the gold rows under weak normal priors: log t_k ~ (0, 1), b ~ (0, 0.3),
c ~ (start, 0.5). Predictors that err together make a prior count less than once or even against
itself; the gold rows know, and no assumption of independent errors is needed.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray
from scipy.optimize import minimize

from accuracy_assay.numerics.calibration_loss import gold_losses
from accuracy_assay.numerics.precision import precision

__all__ = ["Stacked", "stack"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_BIAS_SD = 0.3
_COEFFICIENT_SD = 0.5
_MAX_ITERATIONS = 100


class Stacked(NamedTuple):
    """Temperatures (K,), biases (K arrays (V_k,)) and coefficients (F,)."""

    temperatures: Floats
    biases: list[Floats]
    coefficients: Floats


def stack(
    log_m: Sequence[Floats],
    arm: Ints,
    fold: Ints,
    features: Floats,
    start: Floats,
    is_guessed: NDArray[np.bool_],
) -> Stacked:
    """Return the most probable temperatures, biases and coefficients.

    Parameters
    ----------
    log_m : K arrays (m, V_k)
        Log-scores of the gold rows.
    arm, fold : (m,)
        Gold arm and fold of each row.
    features : (folds, F, A)
        G_f for the rows of each fold.
    start : (F,)
        Prior mean of the coefficients.
    is_guessed : (K,)
        Attributes without a predictor keep the temperature 1.
    """
    sizes = tuple(scores.shape[1] for scores in log_m)
    n_folds, n_features = features.shape[:2]
    k, f = len(sizes), n_features
    rows = _padded(fold, n_folds)
    with precision("float64"):
        data = (
            tuple(jnp.asarray(scores[rows]) for scores in log_m),
            jnp.asarray(arm[rows]),
            jnp.asarray(np.arange(rows.shape[1]) < np.bincount(fold, minlength=n_folds)[:, None]),
            jnp.asarray(features),
            jnp.asarray(start),
            jnp.asarray(is_guessed),
        )

        def loss(parameters: Floats) -> tuple[float, Floats]:
            value, slope = _loss_and_slope(jnp.asarray(parameters), data, sizes)
            return float(value), np.asarray(slope)

        first = np.concatenate([np.zeros(k), start, np.zeros(sum(sizes))])
        options = {"maxiter": _MAX_ITERATIONS}
        best = minimize(loss, first, jac=True, method="L-BFGS-B", options=options).x
    return Stacked(
        np.where(is_guessed, np.exp(best[:k]), 1.0),
        np.split(best[k + f :], np.cumsum(sizes)[:-1]),
        best[k : k + f],
    )


def _padded(fold: Ints, n_folds: int) -> Ints:
    """Return row numbers (folds, largest fold), the last row of a short fold being padding."""
    groups = [np.flatnonzero(fold == j) for j in range(n_folds)]
    size = max(group.size for group in groups)
    padded = [np.concatenate([group, np.zeros(size - group.size, np.int64)]) for group in groups]
    return np.stack(padded).astype(np.int64)


@partial(jax.jit, static_argnames=("sizes",))
def _loss_and_slope(parameters: Array, data: Any, sizes: tuple[int, ...]) -> tuple[Array, Array]:
    value, slope = jax.value_and_grad(_loss)(parameters, data, sizes)
    return value, slope


def _loss(parameters: Array, data: Any, sizes: tuple[int, ...]) -> Array:
    log_m, arm, is_row, features, start, is_guessed = data
    k, f = len(sizes), features.shape[1]
    log_t, c, b = parameters[:k], parameters[k : k + f], parameters[k + f :]
    t = jnp.where(is_guessed, jnp.exp(log_t), 1.0)
    biases = jnp.split(b, np.cumsum(sizes)[:-1].tolist())

    def fold_loss(log_m: Any, arm: Array, is_row: Array, features: Array) -> Array:
        scores = [t[i] * log_m[i] + biases[i] for i in range(k)]
        losses = gold_losses(scores, arm, jnp.ones(k), c @ features)
        return jnp.sum(jnp.where(is_row, losses, 0.0))

    data_loss = jnp.sum(jax.vmap(fold_loss)(log_m, arm, is_row, features))
    penalty = (
        jnp.sum(log_t**2)
        + jnp.sum(((c - start) / _COEFFICIENT_SD) ** 2)
        + jnp.sum((b / _BIAS_SD) ** 2)
    )
    return data_loss + 0.5 * penalty
