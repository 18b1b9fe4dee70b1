"""Signals that, beside an attribute, give the answer away."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from accuracy_assay.domain.agreement import equal_columns
from accuracy_assay.errors import InputError

__all__ = ["can_leak", "leak_refusal", "refuse_leak", "tells_score"]

_ENOUGH_ROWS_TO_SEE_A_LEAK = 20
"""With a service that is right half of the time, chance tells so many scores once in a million."""


def refuse_leak(
    frame: pl.DataFrame,
    scores: pl.Series,
    attributes: Sequence[str],
    signals: Sequence[str],
    *,
    y_true: str | None = None,
    y_pred: str | None = None,
) -> None:
    """Raise an error where an attribute and a signal together give the answer away.

    An attribute that is the label, next to the predicted class as a signal, tells correctness
    without any label; the estimate would look perfect and mean nothing.
    """
    for attribute in attributes:
        for signal in signals:
            if (attribute, signal) == (y_true, y_pred) or (
                can_leak(scores.len(), scores.n_unique())
                and tells_score(frame, scores, attribute, signal)
            ):
                raise leak_refusal(attribute, signal)


def leak_refusal(attribute: str, signal: str) -> InputError:
    """Return the error of a signal that gives the answer away."""
    return InputError(
        f"signal {signal!r} must not reveal the score; got attribute {attribute!r}, "
        "which is the label, beside it: where they are equal the service is right. "
        "Drop that signal, or keep the label out of the attributes."
    )


def can_leak(n_rows: int, n_scores: int) -> bool:
    """Return whether rows are enough, of two distinct scores, for chance not to look like one."""
    return n_rows >= _ENOUGH_ROWS_TO_SEE_A_LEAK and n_scores == 2


def tells_score(frame: pl.DataFrame, scores: pl.Series, attribute: str, signal: str) -> bool:
    """Return whether each row has the score of whether an attribute equals a signal."""
    same = equal_columns(frame.get_column(attribute), frame.get_column(signal))
    return bool((same.cast(pl.Float64) == scores).all())
