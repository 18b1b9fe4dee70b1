"""What the answers of several services say about their scores before any label.

Two services with the same answer to a row have the same score there. If scores are right or wrong
and two answers differ, at most one of them is right.

Notation: n rows, k services. The codes (n, k) of two services are equal in a row if their answers
are. ``rate`` (n, k) is how likely each is right.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import Agreement
from accuracy_assay.files.texts import normal_column
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["answer_codes", "difference_bounds", "score_covariance"]


def answer_codes(answers: Sequence[pl.Series], agree: str | Agreement = "equal") -> IntArray:
    """Return codes of the answers of services, one column each, (n, k).

    A missing answer equals no other. Under ``equal`` answers are compared as they are with labels.
    Another agreement may distinguish what ``equal`` does not, so then they are compared letter by
    letter.

    Examples
    --------
    >>> answer_codes([pl.Series(["2", "b", None]), pl.Series(["2.0", "c", None])]).tolist()
    [[0, 0], [1, 2], [-1, -2]]
    """
    if agree != "equal":
        texts = [answer.cast(pl.String) for answer in answers]
    elif all(answer.dtype.is_numeric() for answer in answers):
        is_single = any(answer.dtype == pl.Float32 for answer in answers)
        kind = pl.Float32 if is_single else pl.Float64
        texts = [answer.cast(kind).fill_nan(None) for answer in answers]
    else:
        texts = [normal_column(answer) for answer in answers]
    every = pl.concat([text.rename("answer") for text in texts])
    codes = every.rank("dense").cast(pl.Int64).to_numpy(allow_copy=True)
    found = np.where(every.is_null().to_numpy(), 0, np.nan_to_num(codes)).astype(np.int64) - 1
    table = found.reshape(len(answers), -1).T
    return np.where(table < 0, -1 - np.arange(len(answers)), table)


def score_covariance(rate: FloatArray, codes: IntArray) -> FloatArray:
    """Return the covariances of right and wrong scores in each row, (n, k, k).

    With equal answers scores are the same, with different ones they are not both right; rates
    that sum to more than one are scaled down to it.

    Examples
    --------
    >>> rate, codes = np.array([[0.8, 0.8], [0.6, 0.3]]), np.array([[0, 0], [0, 1]])
    >>> score_covariance(rate, codes).round(2).tolist()
    [[[0.16, 0.16], [0.16, 0.16]], [[0.24, -0.18], [-0.18, 0.21]]]
    """
    same = codes[:, :, None] == codes[:, None, :]
    deviation = np.sqrt(rate * (1.0 - rate))
    total = np.maximum(rate[:, :, None] + rate[:, None, :], 1.0)
    apart = rate[:, :, None] * rate[:, None, :] / total**2
    return np.where(same, deviation[:, :, None] * deviation[:, None, :], -apart)


def difference_bounds(
    share: FloatArray,
    labelled: tuple[IntArray, IntArray, FloatArray],
    pool: tuple[IntArray, IntArray],
) -> tuple[FloatArray, FloatArray]:
    """Return the least and the largest difference of two services that rows allow, (Q,) each.

    Parameters
    ----------
    share
        What one row of each arm counts in averages, (Q, A).
    labelled
        Arm (n,), codes of the two answers (n, 2) and scores (n, 2) of labelled rows.
    pool
        Arm and codes of all rows.
    """
    arm, codes, scores = labelled
    n_arms = share.shape[1]
    differs = codes[:, 0] != codes[:, 1]
    of_pool = pool[1][:, 0] != pool[1][:, 1]
    free = np.bincount(pool[0], of_pool, n_arms) - np.bincount(arm, differs, n_arms)
    settled = np.bincount(arm, np.where(differs, scores[:, 0] - scores[:, 1], 0.0), n_arms)
    middle, reach = share @ settled, share @ np.maximum(free, 0.0)
    return middle - reach, middle + reach
