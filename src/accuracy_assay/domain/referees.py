"""Referees: other services that answered the same rows, and whether they agree with this one.

Services make different mistakes: an answer that others give too is mostly right, and one that
stands alone is mostly wrong. Agreement is known without a label, so it is a free signal
(`accuracy_assay.domain.strata`). It uses the measure that compares predictions with the truth.

Notation: n rows, r referees; A (n, r) is the agreement of the service's prediction with that of
each referee, 0 where either is missing.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import combinations, product

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import Agreement, agreement, check_scores, equal_columns
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import require_columns
from accuracy_assay.files.texts import normal_column
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = [
    "REFEREES",
    "RefereeWarning",
    "all_differ",
    "is_contested",
    "referee_signal",
    "with_referees",
]

REFEREES = "agreement of the referees"
"""Name of the signal that referees make, however many there are."""

_MOST_NAMED = 3
"""Most referees that are told apart by name. Three make eight strata, about as many as confidence
is cut into; one more would double them. docs/decisions/0005 has the gain."""
_AGREES = 0.5
"""Agreement from which two answers count as the same."""


class RefereeWarning(UserWarning):
    """Referees that did not answer every row."""


def with_referees(
    tables: Sequence[pl.DataFrame],
    y_pred: str | None,
    referees: Sequence[str],
    agree: str | Agreement = "equal",
) -> list[pl.DataFrame]:
    """Return the tables of one assay with the column ``REFEREES``, unchanged without referees.

    The first table is the pool: its rows say how often each referee agrees, which orders the
    values for all tables.
    """
    if not referees or y_pred is None:
        return list(tables)
    for table in tables:
        require_columns(table, [y_pred, *referees])
    judged = [table.get_column(y_pred) for table in tables]
    said = {name: [table.get_column(name) for table in tables] for name in referees}
    signal = _signal(judged, said, agree)
    ends = np.cumsum([table.height for table in tables])
    return [
        table.with_columns(signal[end - table.height : end])
        for table, end in zip(tables, ends.tolist(), strict=True)
    ]


def referee_signal(
    prediction: pl.Series,
    referees: Mapping[str, pl.Series],
    agree: str | Agreement = "equal",
    *,
    warn: bool = True,
) -> pl.Series:
    """Return the signal of one table's rows, (n,).

    Who did not answer a row agrees with nobody; unless ``warn`` is off, a warning says so.

    The signal is a text if agreement is all or nothing: who agrees for up to three referees, how
    many agree for more. Its values are ordered, the likeliest to be right last (`polars.Enum`).
    With graded agreement, such as a word error rate, it is the mean over the referees.

    Examples
    --------
    >>> said = {"ibm": pl.Series(["a", "b"]), "amazon": pl.Series(["a", "a"])}
    >>> referee_signal(pl.Series(["a", "a"]), said).to_list()
    ['ibm agrees, amazon agrees', 'ibm does not, amazon agrees']
    """
    said = {name: [answers] for name, answers in referees.items()}
    return _signal([prediction], said, agree, warn=warn)


def all_differ(answers: Sequence[pl.Series], agree: str | Agreement = "equal") -> BoolArray:
    """Return the rows (n,) on which no two services agree, where a label says most.

    Graded agreement counts as agreement if it is at least a half.

    Examples
    --------
    >>> said = [pl.Series(["a", "a"]), pl.Series(["b", "a"]), pl.Series(["c", "b"])]
    >>> all_differ(said).tolist()
    [True, False]
    """
    differs = np.ones(answers[0].len(), dtype=bool)
    for own, other in combinations(answers, 2):
        differs &= _agreement(own, other, agree)[0] < _AGREES
    return differs & (len(answers) > 1)


def is_contested(strata: AttributeSpace | None, stratum: IntArray) -> BoolArray | None:
    """Return the strata (n,) in which some referee disagrees; None where the signal is not known.

    Where agreement is graded, such as a word error rate, nothing says what unanimity is.
    """
    names = () if strata is None else strata.names
    if strata is None or REFEREES not in names:
        return None
    signal = strata.attributes[names.index(REFEREES)]
    if signal.kind != "ordinal":
        return None
    codes = strata.codes(stratum)[:, names.index(REFEREES)]
    return np.asarray(codes < signal.size - 1)


def _signal(
    judged: Sequence[pl.Series],
    referees: Mapping[str, Sequence[pl.Series]],
    agree: str | Agreement,
    *,
    warn: bool = True,
) -> pl.Series:
    """Return the signal of all tables' rows; each argument has one series per table."""
    measured, n_missing = [], 0
    for parts in referees.values():
        pairs = [_agreement(own, other, agree) for own, other in zip(judged, parts, strict=True)]
        measured.append(np.concatenate([scores for scores, _ in pairs]))
        n_missing += sum(int(is_missing.sum()) for _, is_missing in pairs)
    matrix = np.stack(measured, axis=1)
    if n_missing and warn:
        warnings.warn(
            f"{n_missing} of {matrix.size} answers needed to compare referees {list(referees)} "
            "are missing. They count as disagreement.",
            RefereeWarning,
            stacklevel=4,
        )
    if not np.isin(matrix, (0.0, 1.0)).all():
        return pl.Series(REFEREES, matrix.mean(axis=1))
    agrees = matrix.astype(bool)
    return _in_words(agrees, list(referees), agrees[: judged[0].len()].mean(axis=0))


def _agreement(
    own: pl.Series, other: pl.Series, agree: str | Agreement
) -> tuple[FloatArray, BoolArray]:
    """Return the agreement of two columns (n,), and where either has no answer."""
    is_known = (_has_answer(own) & _has_answer(other)).to_numpy()
    if agree == "equal":
        same = equal_columns(other, own).fill_null(value=False)
        return same.to_numpy().astype(np.float64), ~is_known
    if not is_known.any():
        return np.zeros(own.len()), ~is_known
    truths, predictions = other.filter(is_known).to_list(), own.filter(is_known).to_list()
    found = check_scores(
        np.asarray(agreement(agree)(truths, predictions), dtype=np.float64), what="agreement"
    )
    if found.shape != (len(truths),):
        raise InputError(
            f"agreement must return one score per pair, shape ({len(truths)},); got {found.shape}."
        )
    scores = np.zeros(own.len())
    scores[is_known] = found
    return scores, ~is_known


def _has_answer(column: pl.Series) -> pl.Series:
    """Return where a column has an answer; texts of spaces alone are none."""
    return (column if column.dtype.is_integer() else normal_column(column)).is_not_null()


def _in_words(agrees: BoolArray, names: Sequence[str], rate: FloatArray) -> pl.Series:
    """Return who agrees, or how many, as texts ordered by how likely the answer is right.

    Patterns are ordered by the sum of the ``rate`` (r,) of those who agree: a referee that mostly
    agrees is mostly right, so this is close to the order of the accuracies. The last is unanimity.
    """
    if len(names) > _MOST_NAMED:
        codes = agrees.sum(axis=1)
        texts = [f"{count} of {len(names)} agree" for count in range(len(names) + 1)]
        return _ordered(texts, codes)
    patterns = np.asarray(list(product((False, True), repeat=len(names))))
    patterns = patterns[np.argsort(patterns @ rate, kind="stable")]
    texts = [
        ", ".join(
            f"{name} {'agrees' if a else 'does not'}" for name, a in zip(names, p, strict=True)
        )
        for p in patterns.tolist()
    ]
    places = 1 << np.arange(len(names))
    code_of = np.empty(len(texts), dtype=np.int64)
    code_of[patterns @ places] = np.arange(len(texts))
    return _ordered(texts, code_of[agrees @ places])


def _ordered(texts: Sequence[str], codes: IntArray) -> pl.Series:
    return pl.Series(REFEREES, np.asarray(texts, dtype=object)[codes], dtype=pl.Enum(texts))
