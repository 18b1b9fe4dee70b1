"""From a table and column names to the space, the signals and their codes; where input is checked.

The forgiving front: attributes may be named by a column or declared as ``Attribute`` values, and
whatever cannot work is refused here with the offending value.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from accuracy_assay.errors import InputError
from accuracy_assay.space import Attribute, AttributeSpace
from accuracy_assay.tables import require_columns

__all__ = ["refuse_leak", "resolve_space"]

_ENOUGH_ROWS_TO_SEE_A_LEAK = 20


def resolve_space(
    attributes: Sequence[str | Attribute], frame: pl.DataFrame, *others: pl.DataFrame
) -> AttributeSpace:
    """Return the space of the named or declared attributes, with values read off the frames."""
    if isinstance(attributes, str):
        raise InputError(f"attributes must be a list of columns; got the text {attributes!r}.")
    names = [a if isinstance(a, str) else a.name for a in attributes]
    for table in (frame, *others):
        require_columns(table, names)
    return AttributeSpace(
        tuple(
            Attribute.infer(frame.get_column(a), extra=[o.get_column(a) for o in others])
            if isinstance(a, str)
            else a
            for a in attributes
        )
    )


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
            if (attribute, signal) == (y_true, y_pred) or _tells_score(
                frame, scores, attribute, signal
            ):
                raise InputError(
                    f"signal {signal!r} must not reveal the score; got attribute {attribute!r}, "
                    "which is the label, beside it: where they are equal the service is right. "
                    "Drop that signal, or keep the label out of the attributes."
                )


def _tells_score(frame: pl.DataFrame, scores: pl.Series, attribute: str, signal: str) -> bool:
    if scores.len() < _ENOUGH_ROWS_TO_SEE_A_LEAK or scores.n_unique() != 2:
        return False
    same = frame.get_column(attribute).cast(pl.String) == frame.get_column(signal).cast(pl.String)
    return bool((same.cast(pl.Float64) == scores).all())
