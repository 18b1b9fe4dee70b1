"""Signals that give the answer away, together with an attribute."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from accuracy_assay.domain.agreement import equal_columns
from accuracy_assay.errors import InputError

__all__ = ["can_leak", "leak_refusal", "refuse_leak", "reveals_score"]

_ENOUGH_ROWS_TO_SEE_A_LEAK = 20
"""If a service is right half of the time, chance matches this many scores once in a million."""


def refuse_leak(
    frame: pl.DataFrame,
    scores: pl.Series,
    attributes: Sequence[str],
    signals: Sequence[str],
    *,
    y_true: str | None = None,
    y_pred: str | None = None,
) -> None:
    """Raise an error if an attribute and a signal together give the answer away.

    An attribute that is the label, with the predicted class as a signal, reveals correctness
    without any label; the estimate would look perfect and mean nothing.
    """
    for attribute in attributes:
        for signal in signals:
            # Rows that lack a value, as of a judge that scored only some, tell nothing.
            known = scores.filter(frame[attribute].is_not_null() & frame[signal].is_not_null())
            if (attribute, signal) == (y_true, y_pred) or (
                can_leak(known.len(), known.n_unique())
                and reveals_score(frame, scores, attribute, signal)
            ):
                raise leak_refusal(attribute, signal)


def leak_refusal(attribute: str, signal: str) -> InputError:
    """Return the error of a signal that gives the answer away."""
    return InputError(
        f"signal {signal!r} must not reveal the score; got attribute {attribute!r} too, which is "
        "the label: the service is right exactly if they are equal. Drop that signal, or keep the "
        "label out of the attributes."
    )


def can_leak(n_rows: int, n_scores: int) -> bool:
    """Return whether there are enough rows, of two distinct scores, to rule out chance."""
    return n_rows >= _ENOUGH_ROWS_TO_SEE_A_LEAK and n_scores == 2


def reveals_score(frame: pl.DataFrame, scores: pl.Series, attribute: str, signal: str) -> bool:
    """Return whether each row's score is one exactly if an attribute equals a signal."""
    same = equal_columns(frame.get_column(attribute), frame.get_column(signal))
    return bool((same.cast(pl.Float64) == scores).all())
