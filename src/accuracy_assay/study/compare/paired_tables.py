"""A table of labelled rows and columns of several services, read once for all of them.

Services that are fitted one by one have the surface of ``estimate`` with the answers of the others
as referees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import check_scores, is_missing
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.label_trust import LabelTrust
from accuracy_assay.domain.missing_answers import MissingAnswers
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows, read_table, require_columns
from accuracy_assay.files.texts import normal_column
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.compare.answers import answer_codes
from accuracy_assay.study.compare.differences import SharedErrors
from accuracy_assay.study.compare.responses import Responses, pool_rates
from accuracy_assay.study.compare.shared_labels import KnownAnswers, SharedLabels
from accuracy_assay.study.fit import fit_problem
from accuracy_assay.study.read.annotations import CROWD, settle_services, signal_about
from accuracy_assay.study.read.how import How
from accuracy_assay.study.read.problem import LabelledProblem
from accuracy_assay.study.read.reader import read
from accuracy_assay.study.read.texts import derive_values
from accuracy_assay.study.read.unverified import Unverified

__all__ = ["Named", "OnService", "PairedTables"]

OnService = Callable[[int, int], None]
"""Told how many services are fitted, of how many."""

Named = Sequence[str] | Mapping[str, str]
"""Columns by their own names, or by the names of their services."""

_SCORE = "__assay_score"


@dataclass(frozen=True, eq=False)
class PairedTables:
    """The labelled rows, the pool, and what the services said.

    Parameters
    ----------
    labelled, pool
        The tables; the same if no pool was given.
    has_pool
        Whether a pool was given, or some rows have no label.
    columns
        What the columns that all services share mean; ``y_true`` is None if only scores are
        known.
    services
        Columns of answers by service; empty if only scores are known.
    scores
        The score of each labelled row by service, (m,) each.
    missing
        Labelled rows without an answer, by service; empty if only scores are known.
    trust
        How far the labels are verified, by service; empty where they have no annotators.
    unverified
        What answers without gold say about a service; empty where labels are certain.
    """

    labelled: pl.DataFrame
    pool: pl.DataFrame
    has_pool: bool
    columns: Columns
    services: Mapping[str, str]
    scores: Mapping[str, FloatArray]
    missing: Mapping[str, MissingAnswers] = field(default_factory=dict)
    trust: Mapping[str, LabelTrust] = field(default_factory=dict)
    unverified: Mapping[str, Unverified] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        columns: Columns,
        rows: Rows,
        pool: Rows,
        services: Named | None,
        scores: Named | None,
    ) -> PairedTables:
        """Read the tables and score the labelled rows; see ``accuracy_assay.compare``."""
        columns.refuse("a comparison", "evidence", "from_label", "weight", "score", "y_pred")
        columns.refuse("a comparison", "signals", "referees", "judges", "history")
        columns.refuse("a comparison", "answer_form")
        columns.refuse("a comparison", *(() if columns.annotator else ("id",)))
        by_answer, by_score = _services(services, scores, columns.y_true)
        own = {**by_answer, **by_score}
        _refuse_overlap(own.values(), columns)
        columns, rows, pool = derive_values(columns, rows, pool)
        (columns, rows, pool, usual, _), about = settle_services(
            columns, rows, pool, by_answer.values()
        )
        columns = replace(columns, id=None)
        labelled = read_table(rows)
        everything = None if pool is None else read_table(pool, what="pool")
        truth = [] if columns.y_true is None else [columns.y_true]
        require_columns(labelled, [*columns.needed, *own.values(), *truth])
        if everything is not None:
            require_columns(everything, [*columns.needed, *by_answer.values()], what="pool")
        truths = truth or list(by_score.values())
        labelled, everything = _part_unlabelled(labelled, everything, truths)
        asked = {
            name: replace(columns, score=by_score.get(name), y_pred=by_answer.get(name))
            for name in own
        }
        missing = {n: of.missing_answers(labelled, warn=False) for n, of in asked.items()}
        n_labelled, labelled = labelled.height, _answered(asked.values(), labelled)
        everything = None if everything is None else _answered(asked.values(), everything)
        if columns.missing_prediction == "drop":
            n_dropped, whose = n_labelled - labelled.height, " of some service"
            dropped = MissingAnswers("drop", n_dropped, n_labelled, whose=whose)
            dropped.warn()
            missing = dict.fromkeys(missing, dropped)
        made = {}
        for name, of in asked.items():
            found = of.scores(labelled).to_numpy()
            made[name] = check_scores(found, what=f"score of {name!r}")
        whole = labelled if everything is None else everything
        known = {name: count for name, count in missing.items() if count is not None}
        has_pool = everything is not None
        said = {name: by_answer.get(name, "") for name in own}
        trust = {} if usual is None else {n: about.trust.get(of, usual) for n, of in said.items()}
        unsure = {n: about.unverified[of] for n, of in said.items() if of in about.unverified}
        return cls(labelled, whole, has_pool, columns, by_answer, made, known, trust, unsure)

    def one_by_one(
        self,
        how: How,
        on_service: OnService | None = None,
        families: Mapping[str, str] | None = None,
    ) -> tuple[dict[str, AccuracySurface], SharedErrors]:
        """Return the surface of every service, and how their errors go together."""
        surfaces, problems = {}, {}
        for done, name in enumerate(self.scores, start=1):
            surfaces[name], problems[name] = self._fit(name, how, families or {})
            if on_service is not None:
                on_service(done, len(self.scores))
        return surfaces, self._shared(surfaces, problems)

    @property
    def has_crowd(self) -> bool:
        """Whether people's answers say something about those of every service."""
        known = map(signal_about, self.services.values())
        return bool(self.services) and all(name in self.pool.columns for name in known)

    @cached_property
    def expected(self) -> FloatArray:
        """The score of each labelled row by service, (m, k), or how probable it is to be right."""
        known = self.unverified
        every = (
            known[name].right(self.labelled) if name in known else score
            for name, score in self.scores.items()
        )
        return np.stack(list(every), axis=1)

    def counted(self, name: str, found: LabelledProblem) -> LabelledProblem:
        """Return the problem of a service's labels, in which those not verified count as such."""
        if name not in self.unverified:
            return found
        return self.unverified[name].count(found, self.labelled)

    def arms(self, table: pl.DataFrame, surface: AccuracySurface) -> IntArray:
        """Return the position of the arm of each row of a table."""
        arms = surface.space.arm_index(surface.space.encode(table))
        return np.asarray(np.searchsorted(surface.arms, arms))

    def _fit(
        self, name: str, how: How, families: Mapping[str, str]
    ) -> tuple[AccuracySurface, LabelledProblem]:
        """Return the surface of one service; answers of other families are its referees."""
        own = families.get(name)
        referees = tuple(
            column
            for other, column in self.services.items()
            if other != name and (own is None or families.get(other) != own)
        )
        columns = replace(
            self.columns,
            score=_SCORE,
            y_true=None,
            y_pred=self.services.get(name),
            referees=referees if self.has_pool else (),
            signals=(CROWD,) if self.has_crowd else (),
        )
        pool, labelled = self._coded
        if self.has_crowd:
            said = pl.col(signal_about(self.services[name])).alias(CROWD)
            pool, labelled = pool.with_columns(said), labelled.with_columns(said)
        scored = labelled.with_columns(pl.Series(_SCORE, self.scores[name]))
        found = read(columns, scored, pool if self.has_pool else None, how)
        found = replace(found, missing=self.missing.get(name), trust=self.trust.get(name))
        found = self.counted(name, found)
        return fit_problem(found, columns, how), found.condensed()

    def _shared(
        self,
        surfaces: Mapping[str, AccuracySurface],
        problems: Mapping[str, LabelledProblem],
    ) -> SharedLabels:
        """Return what the labels and the answers say about all services together."""
        responses, rates = [], []
        for name, found in problems.items():
            assert found.places is not None  # tables of exact attributes
            of_pool, of_labelled = found.places()
            problem, surface = found.problem, surfaces[name]
            labelled = problem.cells(of_labelled)
            responses.append(Responses.of(surface, labelled, problem.support.n_strata))
            if self.services:
                pool = problem.cells(of_pool)
                rates.append(pool_rates(surface, pool, problem.support.n_strata))
        if not self.services:
            return SharedLabels(tuple(responses), self.expected)
        surface = next(iter(surfaces.values()))
        codes = self.codes
        answers = KnownAnswers(
            codes[self.pool.height :],
            codes[: self.pool.height],
            self.arms(self.pool, surface),
            np.stack(rates, axis=1),
            surface.support,
            is_exclusive=self.columns.agreement == "equal",
            is_counted=surface.details.get("target") == "pool" and not self.unverified,
        )
        return SharedLabels(tuple(responses), self.expected, answers)

    @cached_property
    def codes(self) -> IntArray:
        """Codes of the answers to the pool's rows, then to the labelled ones, (N + n, k)."""
        return answer_codes([self._answers(n) for n in self.services], self.columns.agreement)

    @cached_property
    def _coded(self) -> list[pl.DataFrame]:
        """The pool and the labelled rows with numbers for answers, where these say the same.

        Every service is compared with all others, and numbers are compared fast. A missing answer
        has a number that no other answer has.
        """
        if self.columns.agreement != "equal" or not self.services:
            return list(self._tables)
        every = pl.DataFrame(self.codes, schema=list(self.services.values()))
        parts = every[: self.pool.height], every[self.pool.height :]
        return [table.with_columns(part) for table, part in zip(self._tables, parts, strict=True)]

    @property
    def _tables(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        return self.pool, self.labelled

    def _answers(self, name: str) -> pl.Series:
        column = self.services[name]
        parts = [table.get_column(column) for table in self._tables]
        if parts[0].dtype != parts[1].dtype:
            parts = [normal_column(part) for part in parts]
        return pl.concat(parts)


def _services(
    services: Named | None, scores: Named | None, y_true: str | None
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the columns of answers and of scores by service; one of the two is empty."""
    if (services is None) == (scores is None) or (services is None) != (y_true is None):
        raise InputError(
            "services must be given by services= and y_true=, or by scores= alone; got "
            f"services={services!r}, y_true={y_true!r}, scores={scores!r}."
        )
    what, given = ("services", services) if services is not None else ("scores", scores)
    if isinstance(given, str) or given is None:
        raise InputError(f"{what} must be a list of columns; got the text {given!r}.")
    named = dict(given) if isinstance(given, Mapping) else {column: column for column in given}
    if len(set(named.values())) < len(given) or len(named) < 2:
        raise InputError(f"{what} must name two or more different columns; got {given!r}.")
    return (named, {}) if services is not None else ({}, named)


def _answered(services: Iterable[Columns], rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows that every service has answered, if the others are left out."""
    for of in services:
        rows = of.answered(rows)
        if not rows.height:
            raise InputError(
                "some row must have an answer of every service; got none, and "
                "missing_prediction='drop' leaves all others out. Leave out services that answer "
                "little, or count missing answers as wrong."
            )
    return rows


def _refuse_overlap(services: Iterable[str], columns: Columns) -> None:
    for name in services:
        if name in columns.names or name in (columns.y_true, columns.cluster):
            part = "an attribute" if name in columns.names else "the truth"
            part = "the cluster" if name == columns.cluster else part
            raise InputError(
                "services must be columns other than the attributes, the truth and the cluster; "
                f"got {name!r}, which is {part}."
            )


def _part_unlabelled(
    rows: pl.DataFrame, pool: pl.DataFrame | None, truths: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Return the rows that score every service, and the pool, by default all rows."""
    missing = np.zeros(rows.height, dtype=bool)
    for name in truths:
        missing |= is_missing(rows.get_column(name)).to_numpy()
    if not missing.any():
        return rows, pool
    if missing.all():
        raise InputError(
            f"columns {list(truths)} must all have a value in some row; got {rows.height} rows "
            "with one missing."
        )
    return rows.filter(~missing), rows if pool is None else pool
