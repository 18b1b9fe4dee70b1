"""Many signals condensed into one or two: the best single one, and the correctness all predict.

Strata of several signals multiply, and with them cells and time; soon each cell holds one label or
none. So if there are too many, the labels teach one score: a logistic regression on the strata of
all signals, added up and not crossed. The score, cut into classes, is one signal. The alternative
is the best single signal: if one knows nearly every error, a score of all would blur it. The
labels decide which of the two stays, or both if they do not decide clearly. A score that does not
predict held-out labels clearly better than the rate of all labels has learned noise, and is
dropped.

A row's class depends only on its signals, and rows with equal signals share it, labelled or not.
Scores that leave a row's own label out (cross-fitting) would separate a labelled row from its
equals, in the direction opposite to its label, and were worse on every task tried
(docs/decisions/0005); they serve only to judge the score.

Notation: n rows, m of them labelled, k signals; ``codes`` (n, k) number the strata of each signal;
``right`` and ``wrong`` (m,) count the labels of a labelled row, mostly one of either. A row may
stand for several with equal signals; ``count`` (n,) says for how many, one each by default.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.numerics.grouping import sum_by_group
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = [
    "MOST_STRATA",
    "PREDICTED_CORRECTNESS",
    "condense",
    "condense_strata",
    "is_crowded",
    "predict_score",
]

PREDICTED_CORRECTNESS = "correctness predicted from all signals"
"""Name of the signal that replaces all."""

MOST_STRATA = 200
"""Most strata of crossed signals; 20 predicted classes times nine strata of a confidence are
fewer."""

_CLASSES, _CLASSES_BESIDE = 8, 4
"""Classes of the score: about as many as a signal has strata, and half as many beside another
signal, since they multiply."""
_CLEAR = 6.0
"""Difference of log marginal likelihood, in nats, at which one choice counts as better: odds of
four hundred to one, since held-out labels judge a score severely."""
_FOLDS = 5
"""Parts of the labels; each is scored by the others."""
_PENALTY = 10.0
"""Precision of the normal prior of each weight: of 0.1, 1 and 10 the one that was never worse than
the best single signal on three tasks."""
_STEP = 0.5
"""Size of a stratum's own indicator beside the rank of an ordered signal, which goes from -1 to 1:
the order is learned before the strata's own effects."""
_PRIOR_LABELS = 2.0
"""Pseudo-labels at the common rate for each stratum when signals are compared: one right and one
wrong at a rate of a half."""
_LEAST_DOUBT = 1e-3
"""Least probability of either outcome, so that rows that look sure still count."""


def is_crowded(strata: AttributeSpace) -> bool:
    """Return whether signals have too many strata, not counting clusters."""
    clusters = [a.size for a in strata.attributes if a.kind == "cluster"]
    return strata.n_arms // math.prod(clusters) > MOST_STRATA


def condense_strata(
    strata: AttributeSpace,
    stratum: IntArray,
    rows: IntArray,
    right: FloatArray,
    wrong: FloatArray,
    count: FloatArray | None = None,
) -> tuple[AttributeSpace | None, IntArray | None]:
    """Return strata of one or two signals instead of many, and the stratum of every row.

    Clusters stay as they are. Without labels signals say nothing, and none is left; without
    signals and clusters there are no strata.

    Parameters
    ----------
    strata, stratum
        The space of the signals' strata, clusters last, and the stratum of every row, (n,).
    rows, right, wrong
        Labelled rows, and the number of their right and wrong labels, (m,) each.
    count
        How many rows each row stands for, (n,).
    """
    signals = [a for a in strata.attributes if a.kind != "cluster"]
    codes = strata.codes(stratum)
    kept: tuple[Attribute, ...] = strata.attributes[len(signals) :]
    columns = codes[:, len(signals) :]
    if rows.size:
        made, of_row = condense(signals, codes[:, : len(signals)], rows, right, wrong, count)
        kept, columns = (*made, *kept), np.concatenate([of_row, columns], axis=1)
    if not kept:
        return None, None
    merged = AttributeSpace(kept)
    return merged, merged.arm_index(columns)


def condense(
    signals: Sequence[Attribute],
    codes: IntArray,
    rows: IntArray,
    right: FloatArray,
    wrong: FloatArray,
    count: FloatArray | None = None,
) -> tuple[list[Attribute], IntArray]:
    """Return one or two signals instead of many, and the strata of every row.

    Parameters
    ----------
    signals, codes
        The signals, and the stratum of every row by each of them, (n, k).
    rows, right, wrong, count
        As in `condense_strata`.

    Returns
    -------
    signals, codes
        The best single one, the classes of the predicted correctness, or both, (n, 1) or (n, 2).
    """
    from scipy.special import expit

    alone = [
        _log_marginal(codes[rows, k], signal.size, right, wrong)
        for k, signal in enumerate(signals)
    ]
    best = int(np.argmax(alone))
    held_out = _held_out_score(signals, codes, rows, right, wrong, count)
    together = _log_marginal(_classes(expit(held_out), _CLASSES), _CLASSES, right, wrong)
    is_noise = not _is_better_than_rate(held_out, right, wrong)
    kept, columns = [], []
    if is_noise or together < alone[best] + _CLEAR:
        kept.append(signals[best])
        columns.append(codes[:, best])
    if not is_noise and together > alone[best] - _CLEAR:
        score = predict_score(signals, codes, rows, right, wrong, count)
        level = _classes(expit(score), _CLASSES_BESIDE if kept else _CLASSES, count)
        if level.max(initial=0) > 0:
            names = tuple(f"class {k + 1}" for k in range(int(level.max()) + 1))
            kept.append(Attribute(PREDICTED_CORRECTNESS, names, kind="ordinal"))
            columns.append(level)
    return kept, np.stack(columns, axis=1)


def _log_marginal(stratum: IntArray, n_strata: int, right: FloatArray, wrong: FloatArray) -> float:
    """Return the log marginal likelihood of the labels if each stratum (m,) has its own rate.

    Rates have a Beta prior around the rate of all labels, so strata cost what they take to learn.
    """
    from scipy.special import betaln

    rate = (right.sum() + 1.0) / (right.sum() + wrong.sum() + _PRIOR_LABELS)
    a, b = _PRIOR_LABELS * rate, _PRIOR_LABELS * (1.0 - rate)
    yes, no = (sum_by_group(stratum, each, n_strata) for each in (right, wrong))
    return float(np.sum(betaln(a + yes, b + no) - betaln(a, b)))


def _held_out_score(
    signals: Sequence[Attribute],
    codes: IntArray,
    rows: IntArray,
    right: FloatArray,
    wrong: FloatArray,
    count: FloatArray | None,
) -> FloatArray:
    """Return the score of each labelled row, learned from the other folds, (m,)."""
    fold = _folds(codes[rows], right, wrong)
    score = np.zeros(rows.size)
    for part in range(min(_FOLDS, rows.size)):
        is_out = fold == part
        known = (rows[~is_out], right[~is_out], wrong[~is_out])
        score[is_out] = predict_score(signals, codes, *known, count)[rows[is_out]]
    return score


def _folds(codes: IntArray, right: FloatArray, wrong: FloatArray) -> IntArray:
    """Return the part of each labelled row (m,), whatever order the rows come in."""
    fold = np.random.default_rng(0).permutation(right.size) % _FOLDS
    parts = np.empty_like(fold)
    parts[np.lexsort((wrong, right, *codes.T))] = fold
    return parts


def _is_better_than_rate(score: FloatArray, right: FloatArray, wrong: FloatArray) -> bool:
    """Return whether held-out scores raise the labels' log score by more than a standard error.

    In made worlds of ten signals and 200 labels that drops all scores of noise, and a third of
    those whose signals know the logit to 0.7; whether the mean rises, a sixth of noise passes.
    """
    from scipy.special import expit

    rate = (right.sum() + 1.0) / (right.sum() + wrong.sum() + _PRIOR_LABELS)
    said = np.clip(expit(score), _LEAST_DOUBT, 1.0 - _LEAST_DOUBT)
    gain = right * np.log(said / rate) + wrong * np.log((1.0 - said) / (1.0 - rate))
    return bool(gain.sum() > gain.std() * np.sqrt(gain.size))


def predict_score(
    signals: Sequence[Attribute],
    codes: IntArray,
    rows: IntArray,
    right: FloatArray,
    wrong: FloatArray,
    count: FloatArray | None = None,
) -> FloatArray:
    """Return the logit of every row's predicted correctness, (n,); arguments as ``condense``."""
    tables = [_table(signal, codes[:, k], count) for k, signal in enumerate(signals)]
    known = np.concatenate([table[codes[rows, k]] for k, table in enumerate(tables)], axis=1)
    weights, level = _regress(known, right, wrong)
    ends = np.cumsum([table.shape[1] for table in tables])[:-1]
    score = np.full(codes.shape[0], level)
    for k, (table, weight) in enumerate(zip(tables, np.split(weights, ends), strict=True)):
        score += (table @ weight)[codes[:, k]]
    return score


def _table(signal: Attribute, codes: IntArray, count: FloatArray | None) -> FloatArray:
    """Return the columns of the regression for each stratum, (n_strata, n_columns).

    An indicator of each; before them, if strata are ordered, the stratum's rank in the pool.
    """
    each = np.eye(signal.size)
    if not signal.is_ordered:
        return each
    size = np.bincount(codes, count, minlength=signal.size)
    share = size / max(size.sum(), 1)
    rank = 2.0 * np.cumsum(share) - share - 1.0
    return np.concatenate([rank[:, None], _STEP * each], axis=1)


def _regress(known: FloatArray, right: FloatArray, wrong: FloatArray) -> tuple[FloatArray, float]:
    """Return weights and level of the penalised regression; zeros if all labels are equal."""
    from sklearn.linear_model import LogisticRegression

    if not (right.any() and wrong.any()):
        return np.zeros(known.shape[1]), 0.0
    weight = np.concatenate([right, wrong])
    is_right = np.repeat([True, False], right.size)
    is_used = weight > 0.0
    model = LogisticRegression(C=1.0 / _PENALTY, max_iter=1_000)
    model.fit(np.tile(known, (2, 1))[is_used], is_right[is_used], sample_weight=weight[is_used])
    return np.asarray(model.coef_[0], dtype=np.float64), float(model.intercept_[0])


def _classes(rate: FloatArray, most: int, count: FloatArray | None = None) -> IntArray:
    """Return the class of each predicted rate, lowest first, (n,).

    Classes hold equal sums of the labels' standard deviation (Dalenius and Hodges, 1959): many
    rows if nearly all are right, few if it is uncertain. Equal rates share a class.
    """
    rates, of_row = np.unique(rate, return_inverse=True)
    size = np.bincount(of_row, count, minlength=rates.size)
    sure = np.clip(rates, _LEAST_DOUBT, 1.0 - _LEAST_DOUBT)
    doubt = size * np.sqrt(sure * (1.0 - sure))
    middle = (np.cumsum(doubt) - doubt / 2.0) / doubt.sum()
    level = np.unique((middle * most).astype(np.int64), return_inverse=True)[1]
    return np.asarray(level[of_row], dtype=np.int64)
