"""An evaluation log: rows of another tool's files, one per item, and what their columns mean.

A log often holds several services, each scored in several ways. `Columns` describe one service and
one metric, so a log makes the `Columns` of those you ask for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from accuracy_assay.domain.column_names import holds_truth
from accuracy_assay.domain.column_roles import attribute_values
from accuracy_assay.domain.columns import AnyAttribute, Columns
from accuracy_assay.errors import InputError, UnknownNameError
from accuracy_assay.files.tables import require_columns, require_unique
from accuracy_assay.runtime.number_text import plural

__all__ = ["GRADED_ALONE", "PREDICTION", "EvalLog", "ServiceColumns"]

PREDICTION = "pred:"
"""How the column of a service's answers begins, before the name of the service."""
_SHOWN = 6
"""Most names that the text of a log shows of a kind: they fit on a line."""
_RIGHT = 0.5
"""A verdict from which on a person calls an answer right."""
_LONGEST_VALUE = 100
"""Longest value of an attribute, in characters: a longer one is a sentence."""


GRADED_ALONE = "graded the answers and there is no other score"
"""Why a log has no truth behind its score, as its reader says it: a model gave the score."""


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
    people
        Where several people scored the answers: by metric, each person's column. The score of
        that metric is what most of them say.
    """

    prediction: str | None = None
    scores: Mapping[str, str] = field(default_factory=dict)
    judges: tuple[str, ...] = ()
    signals: tuple[str, ...] = ()
    people: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics to choose among: not what single people say."""
        single = {column for own in self.people.values() for column in own.values()}
        return tuple(name for name, column in self.scores.items() if column not in single)

    @property
    def names(self) -> tuple[str, ...]:
        """All of its columns."""
        said = () if self.prediction is None else (self.prediction,)
        return (*said, *self.scores.values(), *self.judges, *self.signals)

    @property
    def asked(self) -> pl.Expr:
        """Whether the service was asked about a row of a log: then some column has a value.

        A service that was asked and said nothing has an empty text as its answer.
        """
        known = [pl.col(name).is_not_null() for name in self.names]
        return pl.any_horizontal(known) if known else pl.lit(value=True)


@dataclass(frozen=True, eq=False, repr=False)
class EvalLog:
    """Rows, one per item, and what their columns mean.

    Parameters
    ----------
    rows
        The table.
    by_service
        The columns of each service, by its name; empty if the files do not say.
    attributes
        Columns that may span a surface, with their numbers of values. By default, all columns
        without another part to play that have a few values each, and whose names do not say that
        they hold the truth or an answer.
    target
        Column of the truth.
    id
        Column that identifies an item; its values are unique.
    cluster
        Column of items that belong together, such as repeats of one question.
    texts
        Columns for people to read, such as the question.
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
    ...     {
    ...         "topic": ["art", "law", "law"],
    ...         "answer": ["blue", "no", "no"],
    ...         "is_exact": [0, 0, 1],
    ...         "is_close": [1, 0, 1],
    ...     }
    ... )
    >>> log = EvalLog(rows, {"small-model": said})
    >>> log.attributes
    {'topic': 2}
    >>> log.columns(metric="loose").score
    'is_close'
    >>> print(log)
    3 rows
    services: small-model
    scores: is_exact, is_close
    predictions: answer
    attributes: topic (2)
    """

    rows: pl.DataFrame
    by_service: Mapping[str, ServiceColumns] = field(default_factory=dict)
    attributes: Mapping[str, int] = field(default=None)  # type: ignore[arg-type]
    target: str | None = None
    id: str | None = None
    cluster: str | None = None
    texts: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.rows.height:
            raise InputError("a log must have at least one row; got none.")
        if self.attributes is None:
            object.__setattr__(self, "attributes", {})
            known = set(self.names)
            others = [c.name for c in self.rows if c.name not in known and _may_span(c)]
            object.__setattr__(self, "attributes", attribute_values(self.rows, others)[0])
        require_columns(self.rows, self.names, what="a log")
        if self.id is not None:
            require_unique(self.rows.get_column(self.id), what="a log")

    @property
    def services(self) -> tuple[str, ...]:
        """The names of the services."""
        return tuple(self.by_service)

    @property
    def predictions(self) -> tuple[str, ...]:
        """The columns of the services' answers."""
        said = (columns.prediction for columns in self.by_service.values())
        return tuple(name for name in said if name is not None)

    @property
    def scores(self) -> tuple[str, ...]:
        """The columns of scores, of every service by every metric."""
        return tuple(name for said in self.by_service.values() for name in said.scores.values())

    @property
    def is_graded_by_model(self) -> bool:
        """Whether its scores are those of a model, and nobody else gave any."""
        return any(GRADED_ALONE in why for why in self.left_out.values())

    @property
    def judges(self) -> tuple[str, ...]:
        """The columns of judges' verdicts or scores."""
        return tuple(name for said in self.by_service.values() for name in said.judges)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics that some service is scored by."""
        named = (name for said in self.by_service.values() for name in said.metrics)
        return tuple(dict.fromkeys(named))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns whose meaning is known."""
        others = (name for name in (self.target, self.id, self.cluster) if name is not None)
        of_services = (name for said in self.by_service.values() for name in said.names)
        return tuple(dict.fromkeys([*self.attributes, *others, *self.texts, *of_services]))

    def rows_of(self, service: str | None) -> pl.DataFrame:
        """Return the rows of the items that a service was asked; None if there is only one.

        Examples
        --------
        >>> rows = pl.DataFrame({"small": [1, 0], "large": [1, None]})
        >>> services = {name: ServiceColumns(None, {"ok": name}) for name in rows.columns}
        >>> EvalLog(rows, services).rows_of("large").height
        1
        """
        return self.rows.filter(self._said_by(service).asked)

    def answers_of(self, service: str | None = None, metric: str | None = None) -> pl.DataFrame:
        """Return what people said of a service's answers, one row per item and person.

        To the columns of `rows_of` come ``annotator``, ``verdict`` (right or wrong) and
        ``claimed``, which is always right: with ``y_true="verdict"``, ``y_pred="claimed"`` and
        the ids of the log they are rows of annotators (see ``estimate``).

        Raises
        ------
        InputError
            If no people, or only one person, scored the answers.

        Examples
        --------
        >>> rows = pl.DataFrame({"id": ["a", "b"], "ok": [1, 0], "ann": [1, 0], "ben": [1, None]})
        >>> said = ServiceColumns(None, {"ok": "ok"}, people={"ok": {"ann": "ann", "ben": "ben"}})
        >>> EvalLog(rows, {"it": said}, id="id").answers_of().select("id", "annotator").rows()
        [('a', 'ann'), ('a', 'ben'), ('b', 'ann')]
        """
        said = self._said_by(service)
        if not said.people:
            raise InputError(
                "people must have scored the answers of a service; got none in the log."
            )
        columns = said.people[_only("metric", metric, said.people)]
        rows = self.rows_of(service)
        parts = [
            rows.with_columns(
                pl.lit(person).alias("annotator"),
                pl.when(pl.col(column) >= _RIGHT)
                .then(pl.lit("right"))
                .otherwise(pl.lit("wrong"))
                .alias("verdict"),
                pl.lit("right").alias("claimed"),
            )
            .with_row_index("\0row")
            .filter(pl.col(column).is_not_null())
            for person, column in columns.items()
        ]
        return pl.concat(parts).sort("\0row", maintain_order=True).drop("\0row")

    def shared_rows(self, services: Iterable[str]) -> pl.DataFrame:
        """Return the rows of the items that every one of some services was asked; or of all.

        Raises
        ------
        InputError
            If there is none.
        """
        names = list(services)
        asked = [self._said_by(name).asked for name in names or self.services]
        found = self.rows.filter(*asked) if asked else self.rows
        if not found.height:
            raise InputError(
                f"services of a log must have items in common; got {names}, and none that all of "
                "them were asked. Name services of one benchmark."
            )
        return found

    def attributes_of(self, *services: str) -> tuple[str, ...]:
        """Return the attributes of the items that services were asked, by default of all items.

        Each has two values or more, and a value in every row.
        """
        is_single = len(self.services) == 1
        rows = self.shared_rows(services) if services or is_single else self.rows
        known = (rows.get_column(name) for name in self.attributes)
        return tuple(c.name for c in known if not c.null_count() and c.n_unique() > 1)

    def find_score(self, column: str) -> tuple[str, str] | None:
        """Return the service and the metric of a score column, None if it is not one."""
        for service, said in self.by_service.items():
            for metric, name in said.scores.items():
                if name == column:
                    return service, metric
        return None

    def find_prediction(self, column: str | None) -> str | None:
        """Return the service of a column of answers, None if it is not one."""
        said = {columns.prediction: service for service, columns in self.by_service.items()}
        return None if column is None else said.get(column)

    def _said_by(self, service: str | None) -> ServiceColumns:
        if not self.by_service and service is None:
            return ServiceColumns()
        return self.by_service[_only("service", service, self.by_service)]

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
            score, answers are compared with the truth. A judge who left out an answer of the
            service is left out.
        attributes
            The attributes; by default those of the files that vary among the service's items.

        Raises
        ------
        InputError
            If one of several services or metrics must be named, or there is no attribute.
        """
        said = self._said_by(service)
        score = None
        if said.scores or metric is not None:
            score = said.scores[_only("metric", metric, said.scores, said.metrics)]
        return Columns(
            tuple(self._attributes_of_one(service) if attributes is None else attributes),
            score=score,
            y_true=self.target,
            y_pred=said.prediction,
            signals=said.signals,
            judges=self._complete(said),
            cluster=self.cluster,
            id=self.id,
            graded_by_model=self.is_graded_by_model and score is not None,
        )

    def _attributes_of_one(self, service: str | None) -> tuple[str, ...]:
        return self.attributes_of() if service is None else self.attributes_of(service)

    def _complete(self, said: ServiceColumns) -> tuple[str, ...]:
        """Return the judges who judged every answer of a service."""
        answered = self.rows.filter(said.asked)
        return tuple(name for name in said.judges if not answered.get_column(name).null_count())

    def __str__(self) -> str:
        counted = [f"{name} ({n_values})" for name, n_values in self.attributes.items()]
        lines = [
            plural(self.rows.height, "row"),
            _line("services", self.services),
            _line("scores", self.scores),
            _line("predictions", self.predictions),
            _line("target", [self.target] if self.target else []),
            _line("attributes", counted),
            _line("judges", self.judges),
            _line("cluster", [self.cluster] if self.cluster else []),
            *(f"left out: {what}: {why}" for what, why in list(self.left_out.items())[:_SHOWN]),
        ]
        if len(self.left_out) > _SHOWN:
            lines.append(f"left out: {len(self.left_out) - _SHOWN} more, see left_out")
        return "\n".join(line for line in lines if line)

    def __repr__(self) -> str:
        counted = plural(self.rows.height, "row"), plural(len(self.services), "service")
        return f"<EvalLog: {', '.join(counted)}>"


def _may_span(column: pl.Series) -> bool:
    """Return whether a column may be an attribute: no id, no free text, nothing of the truth."""
    return not (holds_truth(column.name) or _is_free(column))


def _is_free(column: pl.Series) -> bool:
    """Return whether a column holds ids or free texts: no value twice, or long ones."""
    values = column.drop_nulls()
    if values.dtype == pl.String and (values.str.len_chars() > _LONGEST_VALUE).any():
        return True
    return not values.dtype.is_nested() and values.n_unique() == values.len()


def _line(what: str, names: Sequence[str]) -> str:
    """Return the first names of a kind on a line, nothing if there is none."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"{what}: {', '.join(names[:_SHOWN])}{more}" if names else ""


def _only(
    what: str, name: str | None, known: Iterable[str], offered: Sequence[str] | None = None
) -> str:
    """Return the name that was asked for, or the only one of those that are offered."""
    names = list(known)
    choice = names if offered is None else list(offered)
    if name is None and len(choice) == 1:
        return choice[0]
    if name is None:
        raise InputError(
            f"{what} must be named if there are several; got {choice}. Name one with --{what}, or "
            f"in Python with log.columns({what}=...)."
        )
    if name not in names:
        raise UnknownNameError(what, name, names)
    return name
