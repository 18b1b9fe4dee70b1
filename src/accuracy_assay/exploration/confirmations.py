"""Which guessed attributes are worth confirming with a label, by what that teaches per price.

A label of a guessed row observes a mixture of its cells. Confirmed attributes leave some of them:
an answer s, with probability w_s, a part of the mixture. So a question about the label and some
attributes is expected to cut

    sum_s w_s sum_a (sum_{c in s} P_c M_ac / w_s)^2 / D_s

of the variance, D_s being the label's variance given s (`numerics.gp.variance_gain`). All of this
is known before the label, so what is confirmed says nothing about it.

Attributes of a row are tried in the order of how unsure they are for their price, and as many are
asked for as teach most for the price of the whole question.

Notation: I kinds, E entries of their rows over cells, K attributes; the rest as in
``exploration.expected_gains``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.exploration.expected_gains import ExpectedGains
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Confirmations", "best_confirmations"]

_LEAST_GAIN = 1e-300  # divides gains that are all zero


@dataclass(frozen=True, eq=False)
class Confirmations:
    """What to confirm with a label of each kind.

    Parameters
    ----------
    factor
        What label and confirmations teach, relative to the label alone, (I,).
    price
        What the confirmations cost together, in labels, (I,).
    attributes
        Positions of the attributes to confirm, by kind.
    """

    factor: FloatArray
    price: FloatArray
    attributes: tuple[tuple[int, ...], ...]


def best_confirmations(
    services: Sequence[ExpectedGains],
    wanted: Sequence[tuple[float, float]],
    codes: IntArray,
    confirm_price: FloatArray,
    label_price: FloatArray,
) -> Confirmations:
    """Return what is best confirmed with each kind: nothing where a label alone is.

    Parameters
    ----------
    services
        For each service what labels teach it.
    wanted
        For each service its arms' variance and the average's share.
    codes
        Attribute codes of the entries of the kinds' rows, which are the first service's, (E, K).
    confirm_price
        Price of each attribute, (K,), infinite for one that is not to be asked for.
    label_price
        Price of a label of each kind, (I,).
    """
    rows = services[0].rows
    known = [(e, e.pair_products(*goal)) for e, goal in zip(services, wanted, strict=True)]
    n, kind = rows.n_rows, rows.row_index
    order = _most_unsure_first(rows, codes, confirm_price)
    group, n_groups = kind.copy(), n
    gain = _expected(known, group, n_groups)
    alone = np.maximum(gain, _LEAST_GAIN)
    price, best_price = np.zeros(n), np.zeros(n)
    best_worth, best_gain, best_count = gain / label_price, gain, np.zeros(n, dtype=np.int64)
    for step in range(int(np.isfinite(confirm_price).sum())):
        asked = order[:, step]
        price = price + confirm_price[asked]
        joined = group * (int(codes.max(initial=0)) + 1) + codes[np.arange(kind.size), asked[kind]]
        numbers, group = np.unique(joined, return_inverse=True)
        gain = _expected(known, group.reshape(-1), numbers.size)
        worth = gain / (label_price + price)
        is_better = worth > best_worth
        best_worth = np.where(is_better, worth, best_worth)
        best_gain = np.where(is_better, gain, best_gain)
        best_price = np.where(is_better, price, best_price)
        best_count = np.where(is_better, step + 1, best_count)
    chosen = tuple(
        tuple(sorted(of_kind[:count].tolist()))
        for of_kind, count in zip(order, best_count, strict=True)
    )
    return Confirmations(best_gain / alone, best_price, chosen)


def _expected(
    services: Sequence[tuple[ExpectedGains, FloatArray]], group: IntArray, n_groups: int
) -> FloatArray:
    """Return the expected gain of each kind (I,) if answers tell these groups of entries apart."""
    return np.asarray(
        sum(gains.if_told_apart(group, n_groups, products) for gains, products in services)
    )


def _most_unsure_first(rows: Affiliation, codes: IntArray, price: FloatArray) -> IntArray:
    """Return each kind's attributes in the order of their entropy per price, (I, K)."""
    kind, n = rows.row_index, rows.n_rows
    unsure = np.zeros((n, price.size))
    for k in range(price.size):
        size = int(codes[:, k].max(initial=0)) + 1
        share = sum_by_group(kind * size + codes[:, k], rows.weights, n * size).reshape(n, size)
        unsure[:, k] = -np.sum(share * np.log(np.maximum(share, _LEAST_GAIN)), axis=1)
    return np.argsort(-unsure / price, axis=1, kind="stable")
