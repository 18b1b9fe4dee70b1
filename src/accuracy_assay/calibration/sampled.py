"""P(a|x) of a potential with a network over too many arms to list.

q(a|x) is the posterior under the blocks alone: a product over blocks, sampled and listed exactly.
The network enters as the importance weight w = exp(network(a)) of an arm a ~ q, so
Z / Z_q = E_q[w]; the effective sample size is (sum w)^2 / sum w^2. Other symbols as in
`numerics.joint`.
"""

from typing import NamedTuple

import numpy as np

from accuracy_assay.calibration.potential import Potential
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import ConvergenceError
from accuracy_assay.numerics.joint.sparse_rows import trim_rows
from accuracy_assay.numerics.joint.top_product import TooManyCombinationsError, top_product
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = [
    "N_SAMPLES",
    "SampledPartition",
    "effective_samples",
    "sample_combinations",
    "sample_partition",
    "top_sampled",
]

N_SAMPLES = 512
"""Arms drawn per row: a relative standard error of Z near 1 / sqrt(512), 4%, if the network's
weights vary as much as they average."""

# Rows whose drawn arms are held at a time. Bounds memory: 500 x 512 arms of K codes.
_PIECE = 500
# A row that seems to leave out too much lists more arms: the share that q may leave out falls by a
# factor of 8 per round, at most 6 times (to 1 / 32,768 of the first). Chosen by hand: after that
# the noise of the estimate, not the arms listed, exceeds the bound.
_ROUNDS = 6
_SHRINK = 8
# Standard errors by which the estimate of what is left out must stay below the bound.
_SURE = 2


class SampledPartition(NamedTuple):
    """Importance-sampled partition of each row, relative to that of the blocks; arrays (n,)."""

    log_z: FloatArray
    standard_error: FloatArray
    effective_samples: FloatArray


def sample_combinations(
    posteriors: list[FloatArray], n_samples: int, rng: np.random.Generator
) -> IntArray:
    """Return combinations (n, S, number of blocks) drawn from each block's distribution."""
    n = posteriors[0].shape[0]
    draws = np.empty((n, n_samples, len(posteriors)), np.int64)
    for b, table in enumerate(posteriors):
        edges = np.cumsum(table, axis=1) + np.arange(n)[:, None]
        where = rng.random((n, n_samples)) + np.arange(n)[:, None]
        found = np.searchsorted(edges.reshape(-1), where) - np.arange(n)[:, None] * table.shape[1]
        draws[:, :, b] = np.clip(found, 0, table.shape[1] - 1)
    return draws


def sample_partition(
    potential: Potential,
    factors: list[FloatArray],
    shape: tuple[int, ...],
    n_samples: int = N_SAMPLES,
    rng: np.random.Generator | None = None,
) -> SampledPartition:
    """Return log(Z / Z_q) with its standard error and the effective sample size of each row."""
    rng = np.random.default_rng(0) if rng is None else rng
    drawn = sample_combinations(potential.block_posteriors(factors), n_samples, rng)
    codes = potential.codes(drawn.reshape(-1, drawn.shape[2]), len(shape))
    w = np.exp(potential.network_values(codes, shape)).reshape(drawn.shape[:2])
    mean = w.mean(axis=1)
    error = w.std(axis=1, ddof=1) / np.sqrt(n_samples) / mean
    return SampledPartition(np.log(mean), error, effective_samples(w))


def effective_samples(w: FloatArray) -> FloatArray:
    """Return how many draws of equal weight are worth as much as each row of weights, (n,).

    A mean of independent values with weights w (n, S) has the variance of one value over this
    (Kish, 1965). If the weights are drawn, (S / effective - 1) / S is the relative variance of
    their mean.

    Examples
    --------
    >>> effective_samples(np.array([[1.0, 1.0, 1.0, 1.0], [3.0, 0.0, 0.0, 0.0]])).tolist()
    [4.0, 1.0]
    """
    return np.asarray(w.sum(axis=1) ** 2 / (w**2).sum(axis=1))


def top_sampled(
    potential: Potential, factors: list[FloatArray], space: AttributeSpace, max_dropped: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """List the likeliest arms of each row, some rows at a time, as `_top_piece`."""
    n = factors[0].shape[0]
    parts = []
    for start in range(0, n, _PIECE):
        piece = [factor[start : start + _PIECE] for factor in factors]
        try:
            owner, arms, weights = _top_piece(potential, piece, space, max_dropped)
        except TooManyCombinationsError as error:
            raise TooManyCombinationsError(start + error.row) from None
        parts.append((owner + start, arms, weights))
    owner, arms, weights = (np.concatenate(part) for part in zip(*parts, strict=True))
    return owner, arms, weights


def _top_piece(
    potential: Potential, factors: list[FloatArray], space: AttributeSpace, max_dropped: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """List the likeliest arms of each row; an estimate bounds what is left out.

    Arms are listed best first under q and weighted by exp(network). Importance sampling estimates
    the mass of the other arms; rows whose estimate plus two standard errors exceeds the bound list
    more arms. Without a network the bound is exact.

    Returns
    -------
    owner, arms, weights
        As `top_joint`; a row sums to one minus the estimate of what it leaves out.
    """
    n = factors[0].shape[0]
    waiting, share = np.arange(n), max_dropped if potential.network is None else max_dropped / 2
    done: list[tuple[IntArray, IntArray, FloatArray]] = []
    rng = np.random.default_rng(0)
    for _ in range(_ROUNDS):
        posteriors = potential.block_posteriors([factor[waiting] for factor in factors])
        owner, index, weights = top_product(posteriors, share)
        sizes = [table.shape[1] for table in posteriors]
        codes = potential.codes(_digits(index, sizes), len(factors))
        arms = space.arm_index(codes)
        if potential.network is None:
            return owner, arms, weights
        weights = weights * np.exp(potential.network_values(codes, space.shape))
        rest, error = _rest(potential, posteriors, owner, arms, space, rng)
        listed = np.bincount(owner, weights, minlength=waiting.size)
        z = listed + rest
        is_done = (rest + _SURE * error) / (listed + rest + _SURE * error) <= max_dropped
        stays = is_done[owner]
        done.append((waiting[owner[stays]], arms[stays], (weights / z[owner])[stays]))
        waiting, share = waiting[~is_done], share / _SHRINK
        if not waiting.size:
            break
    else:
        raise ConvergenceError(
            f"the mass that {waiting.size} instances leave out must stay below {max_dropped}; got "
            "estimates above it. Allow a larger max_dropped."
        )
    owner, arms, weights = (np.concatenate(part) for part in zip(*done, strict=True))
    order = np.argsort(owner, kind="stable")
    owner, arms, weights = owner[order], arms[order], weights[order]
    is_listed = trim_rows(owner, weights, n, max_dropped)
    return owner[is_listed], arms[is_listed], weights[is_listed]


def _digits(index: IntArray, sizes: list[int]) -> IntArray:
    digits = np.empty((index.size, len(sizes)), np.int64)
    for b in range(len(sizes) - 1, -1, -1):
        index, digits[:, b] = np.divmod(index, sizes[b])
    return digits


def _rest(
    potential: Potential,
    posteriors: list[FloatArray],
    owner: IntArray,
    arms: IntArray,
    space: AttributeSpace,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """Estimate E_q[w; arm not listed] of each row, with its standard error."""
    n = posteriors[0].shape[0]
    combinations = sample_combinations(posteriors, N_SAMPLES, rng)
    codes = potential.codes(combinations.reshape(-1, combinations.shape[2]), len(space.shape))
    drawn = space.arm_index(codes)
    listed = np.zeros(drawn.size, bool)
    order = np.lexsort((arms, owner))
    owner, arms = owner[order], arms[order]
    start = np.searchsorted(owner, np.arange(n + 1))
    for i in range(n):
        of_row = slice(i * N_SAMPLES, (i + 1) * N_SAMPLES)
        listed[of_row] = np.isin(drawn[of_row], arms[start[i] : start[i + 1]])
    w = np.where(listed, 0.0, np.exp(potential.network_values(codes, space.shape)))
    table = w.reshape(n, N_SAMPLES)
    return table.mean(axis=1), table.std(axis=1, ddof=1) / np.sqrt(N_SAMPLES)
