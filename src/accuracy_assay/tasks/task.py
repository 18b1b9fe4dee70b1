"""A task: rows whose gold is known, and how to read them.

A task is all that a replay needs: the table, which columns are attributes, which tell the score,
which are guesses (evidence) and which are free signals. Gold is known for every row, so the true
surface is known too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.evidence import columns_by_value
from accuracy_assay.domain.space import Attribute, AttributeSpace, Kind
from accuracy_assay.errors import InputError, UnknownNameError

__all__ = ["Task"]


@dataclass(frozen=True, slots=True)
class Task:
    """Rows with known gold, and the part that each column plays.

    Parameters
    ----------
    name : str
        Short name, as typed on the command line.
    description : str
        One sentence for people.
    rows : polars.DataFrame
        One row per instance; attribute columns hold the gold value.
    attributes : tuple of str
        Attribute columns; together they span the arms.
    kinds : mapping of str to str
        Kind of each attribute that is not categorical.
    id : str
        Column of unique instance ids.
    score : str
        Column of the agreement between prediction and label, in [0, 1].
    y_true, y_pred : str, optional
        Columns of the label and of the service's prediction.
    evidence : mapping of str to str
        Pattern of the probability columns of each guessed attribute, ``p_<attribute>__*``.
    signals : tuple of str
        Columns that are free for every row and are not attributes.
    from_label : tuple of str
        Attributes that are known once a row is labelled.
    services : mapping of str to str
        Prediction column of each service.
    images : array of uint8, shape (n, height, width), optional
        What a person would be shown for each row.

    Raises
    ------
    UnknownNameError
        If a named column is not in ``rows``.
    InputError
        If a pattern of evidence matches no column, or ``images`` has another number of rows.

    Examples
    --------
    >>> rows = pl.DataFrame({"id": ["x", "y"], "sex": ["F", "M"], "correct": [1, 0]})
    >>> Task("toy", "Two rows.", rows, ("sex",)).n_rows
    2
    """

    name: str
    description: str
    rows: pl.DataFrame
    attributes: tuple[str, ...]
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    id: str = "id"
    score: str = "correct"
    y_true: str | None = None
    y_pred: str | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)
    signals: tuple[str, ...] = ()
    from_label: tuple[str, ...] = ()
    services: Mapping[str, str] = field(default_factory=dict)
    images: NDArray[np.uint8] | None = None

    def __post_init__(self) -> None:
        columns = self.rows.columns
        optional = [c for c in (self.y_true, self.y_pred) if c is not None]
        named = [self.id, self.score, *self.attributes, *self.signals, *self.services.values()]
        for column in [*named, *optional]:
            if column not in columns:
                raise UnknownNameError(f"column of task {self.name!r}", column, columns)
        for attribute in [*self.kinds, *self.evidence, *self.from_label]:
            if attribute not in self.attributes:
                raise UnknownNameError(
                    f"attribute of task {self.name!r}", attribute, self.attributes
                )
        for attribute, pattern in self.evidence.items():
            if not columns_by_value(pattern, columns, what=f"evidence of {attribute!r}"):
                raise InputError(
                    f"evidence of {attribute!r} must match a column; got {pattern!r}. "
                    f"Name one probability column per value, such as 'p_{attribute}__<value>'."
                )
        if self.images is not None and len(self.images) != self.n_rows:
            raise InputError(
                f"images must have one entry per row; got {len(self.images)} for "
                f"{self.n_rows} rows. Build them from the same table."
            )

    @property
    def n_rows(self) -> int:
        """Number of instances."""
        return self.rows.height

    @property
    def referees(self) -> tuple[str, ...]:
        """Columns of the other services' predictions; none where attributes are guessed."""
        if self.y_pred is None or self.evidence or self.from_label:
            return ()
        return tuple(column for column in self.services.values() if column != self.y_pred)

    @property
    def space(self) -> AttributeSpace:
        """The attributes with their values, as ``rows`` have them."""
        return AttributeSpace(
            tuple(
                Attribute.infer(self.rows.get_column(name), kind=self.kinds.get(name))
                for name in self.attributes
            )
        )

    @property
    def columns(self) -> Columns:
        """What the columns of ``rows`` mean, as ``simulate`` takes it.

        Signals are left out where attributes are guessed: they would do harm. An attribute that is
        the label is known by the prediction.
        """
        return Columns(
            self.space.attributes,
            self.score,
            y_pred=self.y_pred if self.from_label else None,
            signals=() if self.evidence else self.signals,
            evidence=self.evidence,
            from_label=self.from_label,
        )

    def gold(self) -> pl.DataFrame:
        """Return the true surface: one row per occupied arm.

        Returns
        -------
        polars.DataFrame
            Attribute columns, ``support`` (rows of the arm) and ``truth`` (mean score), sorted
            by the attributes.
        """
        return (
            self.rows.group_by(self.attributes)
            .agg(pl.len().alias("support"), pl.col(self.score).mean().alias("truth"))
            .sort(self.attributes)
        )
