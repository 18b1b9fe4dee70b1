"""Two services that answered the same rows: where they may differ, and by how much on labels.

If both give the same answer, their scores are equal whatever the truth, and no label is needed.
Elsewhere the answers of other services show, again without a label, which side they take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import Agreement, equal_columns
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray

__all__ = ["SIDES", "Pair", "differing_answers", "sides_taken"]

SIDES = "side of the other services"
"""Name of the signal that other services make for a pair."""


@dataclass(frozen=True, eq=False)
class Pair:
    """What is known about two services on the rows of a problem.

    Parameters
    ----------
    rows
        Row numbers of the labelled rows, shape (m,).
    difference
        Score of the first service minus that of the second on each of them, (m,), in [-1, 1].
    is_open
        Rows on which the scores may differ, (n,): those with different answers, or all if answers
        are unknown.
    sides
        A signal of all rows, (n,), or None: how many other services side with the first minus how
        many side with the second.
    is_always_decided
        Whether one of two different answers is always right, as if there are only two.
    """

    rows: IntArray
    difference: FloatArray
    is_open: BoolArray
    sides: pl.Series | None = None
    is_always_decided: bool = False

    def __post_init__(self) -> None:
        if self.rows.shape != self.difference.shape:
            raise InputError(
                f"difference must have shape {self.rows.shape}; got {self.difference.shape}."
            )
        is_closed = ~self.is_open[self.rows]
        if np.any(self.difference[is_closed] != 0.0):
            row = int(self.rows[is_closed][self.difference[is_closed] != 0.0][0])
            raise InputError(
                "two services with the same answer must have the same score; got different ones "
                f"in row {row}. An agreement must be a function of truth and answer only."
            )

    @property
    def has_coin_scores(self) -> bool:
        """Whether every score is right or wrong, so a difference is -1, 0 or 1."""
        return bool(np.isin(self.difference, (-1.0, 0.0, 1.0)).all())


def differing_answers(
    first: pl.Series, second: pl.Series, agree: str | Agreement = "equal"
) -> BoolArray:
    """Return where two columns of answers differ, or either is missing, (n,).

    Under ``equal`` they are compared as answers and labels are. Another agreement may distinguish
    what ``equal`` does not, so then they are compared letter by letter.

    Examples
    --------
    >>> differing_answers(pl.Series(["2", "b", None]), pl.Series(["2.0", "c", "d"])).tolist()
    [False, True, True]
    """
    if agree == "equal":
        same = equal_columns(first, second)
    else:
        same = first.cast(pl.String) == second.cast(pl.String)
    return ~same.fill_null(value=False).to_numpy()


def sides_taken(
    first: pl.Series, second: pl.Series, others: Sequence[pl.Series]
) -> pl.Series | None:
    """Return how many others answer as the first minus how many as the second, in order.

    None if there are no others.

    Examples
    --------
    >>> others = [pl.Series(["a", "b"]), pl.Series(["a", "c"])]
    >>> sides_taken(pl.Series(["a", "a"]), pl.Series(["b", "b"]), others).to_list()
    ['+2', '-1']
    """
    if not others:
        return None
    net = np.zeros(first.len(), dtype=np.int64)
    for other in others:
        for sign, own in ((1, first), (-1, second)):
            net += sign * ~differing_answers(own, other)
    texts = [f"{k:+d}" for k in range(-len(others), len(others) + 1)]
    return pl.Series(SIDES, np.asarray(texts, dtype=object)[net + len(others)], pl.Enum(texts))
