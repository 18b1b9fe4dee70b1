"""Rows of another tool's files, such as an evaluation log, and what their columns mean.

A log often holds several services, each scored in several ways. `Columns` describe one service and
one metric, so a log makes the `Columns` of those you ask for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.text.attribute import TextAttribute
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.tables import require_columns, require_unique

__all__ = ["ForeignRows", "ServiceColumns"]


@dataclass(frozen=True)
class ServiceColumns:
    """The columns of one service.

    Parameters
    ----------
    prediction
        Its answers, None if the files do not say.
    scores
        How good each answer was, in [0, 1], by metric.
    judges
        Others' verdicts or scores of its answers.
    signals
        What it says for free, such as its confidence.
    """

    prediction: str | None = None
    scores: Mapping[str, str] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All of its columns."""
        said = () if self.prediction is None else (self.prediction,)
        return (*said, *self.scores.values(), *self.judges, *self.signals)


@dataclass(frozen=True, eq=False)
class ForeignRows:
    """Rows, one per item, and what their columns mean.

    Parameters
    ----------
    rows
        The table.
    services
        The columns of each service, by its name; empty if the files do not say.
    attributes
        Columns that may span a surface.
    truth
        Column of the truth.
    id
        Column that identifies an item; its values are unique.
    cluster
        Column of items that belong together, such as repeats of one question.
    left_out
        What the files hold and the rows do not, each with the reason.

    Raises
    ------
    InputError
        If there is no row, a column does not exist, or an id repeats.

    Examples
    --------
    >>> said = ServiceColumns("answer", {"exact": "is_exact", "loose": "is_close"})
    >>> rows = pl.DataFrame(
    ...     {"topic": ["art"], "answer": ["blue"], "is_exact": [0], "is_close": [1]}
    ... )
    >>> log = ForeignRows(rows, {"small-model": said}, ("topic",))
    >>> log.columns(metric="loose").score
    'is_close'
    """

    rows: pl.DataFrame
    services: Mapping[str, ServiceColumns] = field(default_factory=dict)
    attributes: tuple[AnyAttribute, ...] = ()
    truth: str | None = None
    id: str | None = None
    cluster: str | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.rows.height:
            raise InputError("a log must have at least one row; got none.")
        require_columns(self.rows, self.names, what="a log")
        if self.id is not None:
            require_unique(self.rows.get_column(self.id), what="a log")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns whose meaning is known; for an attribute of a text, the text's column."""
        attributes = (
            a if isinstance(a, str) else a.column if isinstance(a, TextAttribute) else a.name
            for a in self.attributes
        )
        others = (name for name in (self.truth, self.id, self.cluster) if name is not None)
        of_services = (name for said in self.services.values() for name in said.names)
        return tuple(dict.fromkeys([*attributes, *others, *of_services]))

    def columns(
        self,
        service: str | None = None,
        metric: str | None = None,
        attributes: Sequence[AnyAttribute] | None = None,
    ) -> Columns:
        """Return what the columns mean for one service.

        Parameters
        ----------
        service, metric
            Whose answers, and which score of them; optional if there is only one. Without a
            score, answers are compared with the truth.
        attributes
            The attributes; those of the files by default.

        Raises
        ------
        InputError
            If one of several services or metrics must be named, or there is no attribute.
        """
        said = ServiceColumns()
        if self.services or service is not None:
            said = self.services[_only("service", service, self.services)]
        score = None
        if said.scores or metric is not None:
            score = said.scores[_only("metric", metric, said.scores)]
        return Columns(
            tuple(self.attributes if attributes is None else attributes),
            score=score,
            y_true=self.truth if score is None else None,
            y_pred=said.prediction,
            signals=said.signals,
            judges=said.judges,
            cluster=self.cluster,
            id=self.id,
        )


def _only(what: str, name: str | None, known: Iterable[str]) -> str:
    """Return the name that was asked for, or the only one."""
    names = list(known)
    if name is None and len(names) == 1:
        return names[0]
    if name is None:
        raise InputError(f"{what} must be named if there are several; got {names}.")
    if name not in names:
        raise UnknownNameError(what, name, names)
    return name
