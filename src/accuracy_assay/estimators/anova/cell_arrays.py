"""The pool's cells as arrays for the kernel, and the layout of its parameters."""

from __future__ import annotations

import numpy as np

from accuracy_assay.domain.cells import SIGNAL_LEVELS, Support
from accuracy_assay.domain.history import HISTORY
from accuracy_assay.domain.space import Attribute
from accuracy_assay.numerics.gp.anova import CellArrays, Layout
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.padding import pad_rows, padded_size

__all__ = ["cell_arrays", "to_layout"]

# Prior deviation of the slope of a signal of log-odds, in logits per deviation of the signal;
# docs/decisions/0016 has others.
_SLOPE_SD = 2.0
# Largest own variance of an arm, relative to that of a typical one; without a limit adult5 and
# digits with signals are 1% worse (docs/decisions/0004).
_MOST_OWN_VARIANCE = 2.0
# Columns of codes are padded to a multiple, so that spaces share compiled code.
_COORDINATES_STEP = 4


def to_layout(support: Support, *, has_coins: bool = True, is_guessed: bool = False) -> Layout:
    """Return the kernel's layout for the attributes and signals of a pool, and its labels.

    An arm's mean of a signal is another coordinate: an opinion may say more between arms than
    within them.
    """
    attributes = support.space.attributes
    signals = support.signals
    groups = int(np.prod([a.size for a in signals if not a.is_ordered], dtype=np.int64))
    coordinates = (*attributes, *signals)
    n_means = support.n_means
    sizes = (*(a.size for a in coordinates), *(SIGNAL_LEVELS,) * n_means)
    ordered = (*(a.is_ordered and a.size > 2 for a in coordinates), *(True,) * n_means)
    has_clusters = support.n_clusters > 1
    return Layout(
        sizes, ordered, len(attributes), groups, has_coins, has_clusters, is_guessed, n_means
    )


def cell_arrays(support: Support, ids: IntArray, *, is_average: bool = False) -> CellArrays:
    """Return cells by id as padded arrays of codes, arms, groups, own variances, and trends.

    With ``is_average`` cells are averages over all clusters that there may be.
    """
    arm, stratum = ids // support.n_strata, ids % support.n_strata
    columns = [support.space.codes(arm)]
    group = np.zeros(ids.size, dtype=np.int64)
    if support.strata is not None:
        codes = support.strata.codes(stratum)[:, : len(support.signals)]
        columns.append(codes)
        for k, signal in enumerate(support.signals):
            if not signal.is_ordered:
                group = group * signal.size + codes[:, k]
    if support.n_means:
        columns.append(support.signal_levels_of(arm))
    trend = [
        _line(signal)[codes[:, k]]
        for k, signal in enumerate(support.signals)
        if signal.kind == "log-odds" or _is_history(signal)
    ]
    cluster = np.full(ids.shape, -1) if is_average else stratum % support.n_clusters
    codes = np.concatenate(columns, axis=1)
    codes = np.pad(codes, ((0, 0), (0, -codes.shape[1] % _COORDINATES_STEP)))
    size = padded_size(ids.size)
    return CellArrays(
        put(pad_rows(codes, size, -1.0)),
        put(pad_rows(arm, size, -1.0)),
        put(pad_rows(group, size)),
        put(pad_rows(_own_variance(support, arm), size, 1.0)),
        put(pad_rows(cluster, size, -1.0)) if is_average or support.n_clusters > 1 else None,
        trend=put(pad_rows(np.stack(trend, axis=1), size)) if trend else None,
    )


def _is_history(signal: Attribute) -> bool:
    """Return whether a signal is how hard rows were for earlier services."""
    return signal.name == HISTORY and signal.is_ordered


def _line(signal: Attribute) -> FloatArray:
    """Return how far each class follows a slope of deviation one.

    What was hard for earlier services moves the logit by about that of its rank.
    """
    if not _is_history(signal):
        return _SLOPE_SD * _middles(signal)
    rank = (np.arange(signal.size) + 0.5) / signal.size
    return np.asarray(np.log(rank / (1.0 - rank)))


def _middles(signal: Attribute) -> FloatArray:
    """Return the middle of each class of a signal that is cut at equal steps."""
    assert signal.edges is not None
    first, second = signal.edges[:2]
    return np.asarray(first + (second - first) * (np.arange(signal.size) - 0.5))


def _own_variance(support: Support, arm: IntArray) -> FloatArray:
    """Return the variance of arms' own terms relative to that of an arm of typical size.

    An arm's own term is the mean of those of its hidden groups (speakers, writers), and a larger
    arm has more of them: the variance is inverse to the size. It is at most twice the typical,
    since guesses make many arms that hardly exist. Arms outside the pool are typical.
    """
    size, typical = support.size_of(arm), support.typical_arm_size
    known = np.maximum(size, typical / _MOST_OWN_VARIANCE)
    return np.asarray(typical / np.where(size > 0.0, known, typical))
