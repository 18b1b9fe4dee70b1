"""``ColumnRoles``: what each column of a table is taken for, and why others are left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from accuracy_assay.domain.candidate_columns import CandidateColumn
from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.domain.eval_log import ServiceColumns
from accuracy_assay.errors import InputError, UnknownNameError

__all__ = ["UNNAMED", "ColumnRoles"]

UNNAMED = "service"
"""What a service is called if no column names it."""


@dataclass(frozen=True, eq=False)
class ColumnRoles:
    """What the columns of a table seem to be.

    Parameters
    ----------
    id
        Column whose values identify the rows.
    truth
        Column of the truth. It is no attribute; as ``from_label`` it may be one.
    services
        The columns of each service, by its name.
    judges
        Columns with someone's opinion of the answers.
    evidence
        Pattern of the probability columns of each guessed attribute.
    attributes
        Columns that may span a surface, as they would be typed; numbers are cut into bands.
    gaps
        Attributes that some rows have no value of.
    texts
        Columns of texts: those that a log shows to people, then the longest first.
    media
        Columns of files, by kind: image or audio.
    times
        Columns of dates and times.
    cluster
        Column of rows that belong together: one item in several rows.
    annotator, weight
        Columns of who answered, and of how many rows each row stands for.
    gold
        Column of the truth where it is known, if the rows are answers.
    are_answers
        Whether each row is somebody's answer to the item ``id``; ``truth`` then holds the answers.
    left_out
        Every other column, with the reason.
    is_log
        Whether the rows are a log's: where all columns of a service are empty, it was not asked.
    """

    id: str | None = None
    truth: str | None = None
    services: Mapping[str, ServiceColumns] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict)
    attributes: tuple[CandidateColumn, ...] = ()
    gaps: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()
    media: Mapping[str, str] = field(default_factory=dict)
    times: tuple[str, ...] = ()
    cluster: str | None = None
    annotator: str | None = None
    weight: str | None = None
    gold: str | None = None
    are_answers: bool = False
    left_out: Mapping[str, str] = field(default_factory=dict)
    is_log: bool = False

    @property
    def predictions(self) -> dict[str, str]:
        """The column of each service's predictions."""
        return {
            name: said.prediction
            for name, said in self.services.items()
            if said.prediction is not None
        }

    @property
    def scored(self) -> tuple[str, ...]:
        """Services whose rows can be scored: by a score, or by truth and prediction."""
        return tuple(
            name
            for name, said in self.services.items()
            if said.scores or (self.truth is not None and said.prediction is not None)
        )

    @property
    def parts(self) -> dict[str, str]:
        """What columns are taken for that belong to services or to the truth, in words."""
        found = {self.truth: "is the truth", self.gold: "is the truth"}
        for name, said in self.services.items():
            found |= dict.fromkeys(said.scores.values(), f"is a score of {name!r}")
            found |= dict.fromkeys(said.judges, f"is a judge of {name!r}")
            found |= dict.fromkeys(said.signals, f"is what {name!r} says of its answer")
            found[said.prediction] = f"is the prediction of {name!r}"
        found |= dict.fromkeys(self.judges, "is a judge")
        return {column: part for column, part in found.items() if column is not None}

    def columns(
        self, service: str, attributes: Sequence[AnyAttribute], metric: str | None = None
    ) -> Columns:
        """Return what the columns mean for one service, with these attributes.

        Parameters
        ----------
        service, attributes
            Whose answers, over which attributes.
        metric
            Which score; the first by default. Without a score, predictions are compared with the
            truth.
        """
        if service not in self.services:
            raise UnknownNameError("service", service, list(self.services))
        said = self.services[service]
        if metric is not None and metric not in said.scores:
            raise UnknownNameError("metric", metric, list(said.scores))
        score = said.scores[metric or next(iter(said.scores))] if said.scores else None
        if score is None and (self.truth is None or said.prediction is None):
            raise InputError(
                f"service {service!r} must have a score, or a prediction and the truth; got "
                f"columns {list(said.names)}."
            )
        return Columns(
            tuple(attributes),
            score=score,
            y_true=None if score else self.truth,
            y_pred=None if score else said.prediction,
            cluster=self.cluster,
            id=self.id if self.are_answers else None,
            annotator=self.annotator if self.are_answers else None,
            gold=self.gold,
        )
