"""From a table of labelled rows and columns of several services to their comparison.

Notation: n rows, those of the pool first and then the labelled ones, which are among the pool's
as well; without a pool the labelled rows are all that is known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import Agreement, check_scores, is_missing, score_column
from accuracy_assay.domain.space import Attribute
from accuracy_assay.domain.surface import AccuracySurface
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows, read_table, require_columns
from accuracy_assay.files.texts import normal_column
from accuracy_assay.registry import EstimatorChoice, build_estimator
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.whole_number import whole_number
from accuracy_assay.study.compare.comparison import Comparison
from accuracy_assay.study.compare.differences import PairedDifferences
from accuracy_assay.study.compare.pair import Pair, differing_answers, sides_taken
from accuracy_assay.study.compare.paired import PairedFit, differences_of
from accuracy_assay.study.estimate import estimate
from accuracy_assay.study.read.arms import Arms
from accuracy_assay.study.read.prepare import (
    Target,
    attribute_names,
    check_target,
    cluster_column,
    cluster_name,
)
from accuracy_assay.study.read.text_tables import AnyAttribute, derive_values

__all__ = ["Columns", "PairedTables"]

Columns = Sequence[str] | Mapping[str, str]
"""Columns by their own names, or by the names that their services are to have."""


@dataclass(frozen=True, eq=False)
class PairedTables:
    """The labelled rows, the pool, and what the services said.

    Parameters
    ----------
    labelled, pool
        The tables; without a pool that was given they are the same.
    has_pool
        Whether a pool was given, or some rows have no label.
    attributes, cluster
        Columns that span the surfaces, and of rows that belong together, in a list.
    services
        Columns of answers by service; empty where only scores are known.
    scores
        The score of each labelled row by service, (m,) each.
    y_true, agreement
        How answers were scored.
    target
        As in ``estimate``.
    """

    labelled: pl.DataFrame
    pool: pl.DataFrame
    has_pool: bool
    attributes: Sequence[str | Attribute]
    cluster: list[str]
    services: Mapping[str, str]
    scores: Mapping[str, FloatArray]
    y_true: str | None
    agreement: str | Agreement
    target: Target | None

    @classmethod
    def read(
        cls,
        rows: Rows,
        attributes: Sequence[AnyAttribute],
        *,
        services: Columns | None,
        y_true: str | None,
        agreement: str | Agreement,
        scores: Columns | None,
        pool: Rows,
        cluster: str | None,
        target: Target | None,
    ) -> PairedTables:
        """Read the tables and score the labelled rows; see ``accuracy_assay.compare``."""
        if target is not None:
            check_target(target)
        by_answer, by_score = _services(services, scores, y_true)
        derived = derive_values(attributes, rows, pool)
        names = attribute_names(derived.attributes)
        columns = [*by_answer.values(), *by_score.values()]
        _refuse_overlap(columns, names, y_true)
        belonging = cluster_name(cluster, names, (), *columns, y_true)
        labelled = read_table(derived.rows)
        everything = None if pool is None else read_table(derived.pool, what="pool")
        needed = [*names, *belonging, *columns]
        require_columns(labelled, [*needed, *([] if y_true is None else [y_true])])
        if everything is not None:
            known = [c for c in needed if c not in by_score.values()]
            require_columns(everything, known, what="pool")
        truths = list(by_score.values()) if y_true is None else [y_true]
        labelled, everything = _part_unlabelled(labelled, everything, truths)
        made = {
            name: check_scores(
                score_column(
                    labelled,
                    score=by_score.get(name),
                    y_true=y_true,
                    y_pred=by_answer.get(name),
                    agree=agreement,
                ).to_numpy(),
                what=f"score of {name!r}",
            )
            for name in (by_answer or by_score)
        }
        return cls(
            labelled,
            labelled if everything is None else everything,
            everything is not None,
            derived.attributes,
            belonging,
            by_answer,
            made,
            y_true,
            agreement,
            target,
        )

    def compare(
        self, estimator: EstimatorChoice, seed: int, prices: Mapping[str, float]
    ) -> Comparison:
        """Return the services side by side, over the pool as it is."""
        seed = whole_number(seed, "seed")
        surfaces = {name: self._surface(name, estimator, seed) for name in self.scores}
        surface = next(iter(surfaces.values()))
        pairs = self.differences(surface, estimator, seed)
        return Comparison(surfaces, pairs, surface.weights(), prices, seed=seed)

    def differences(
        self, surface: AccuracySurface, estimator: EstimatorChoice, seed: int
    ) -> dict[tuple[str, str], PairedDifferences]:
        """Return the differences of every two services over the listed arms of a surface."""
        fit = self._fit(surface, estimator, seed)
        return {
            (a, b): differences_of(self._pair(a, b), fit, surface)
            for a, b in combinations(self.scores, 2)
        }

    def _surface(self, name: str, estimator: EstimatorChoice, seed: int) -> AccuracySurface:
        """Return the surface of one service; the others' answers are its referees."""
        score = "__assay_score"
        referees = [c for other, c in self.services.items() if other != name]
        own = self.services.get(name)
        return estimate(
            self.labelled.with_columns(pl.Series(score, self.scores[name])),
            self.attributes,
            score,
            y_pred=own,
            agreement=self.agreement,
            pool=self.pool if self.has_pool else None,
            referees=referees if self.has_pool else None,
            cluster=self.cluster[0] if self.cluster else None,
            estimator=estimator,
            seed=seed,
            target=self.target,
        )

    def _fit(self, surface: AccuracySurface, estimator: EstimatorChoice, seed: int) -> PairedFit:
        space = surface.space
        codes = np.concatenate([space.encode(table) for table in self._tables])
        is_pool = self.has_pool if self.target is None else self.target == "pool"
        return PairedFit(
            Arms.exact(space, codes, self.pool.height),
            build_estimator(estimator),
            seed,
            is_pool,
            cluster_column(self.cluster, *self._tables),
        )

    def _pair(self, first: str, second: str) -> Pair:
        rows = self.pool.height + np.arange(self.labelled.height)
        difference = self.scores[first] - self.scores[second]
        n_rows = self.pool.height + self.labelled.height
        if not (self.services and self.has_pool):
            return Pair(rows, difference, np.ones(n_rows, dtype=bool))
        own, other = (self._answers(name) for name in (first, second))
        third = [self._answers(name) for name in self.services if name not in (first, second)]
        is_equal = self.agreement == "equal"
        return Pair(
            rows,
            difference,
            differing_answers(own, other, self.agreement),
            sides_taken(own, other, third) if is_equal else None,
            is_equal and self._has_two_answers(own, other),
        )

    @property
    def _tables(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        return self.pool, self.labelled

    def _answers(self, name: str) -> pl.Series:
        column = self.services[name]
        parts = [table.get_column(column) for table in self._tables]
        if parts[0].dtype != parts[1].dtype:
            parts = [normal_column(part) for part in parts]
        return pl.concat(parts)

    def _has_two_answers(self, *answers: pl.Series) -> bool:
        """Return whether labels and all services know but two answers, and none is missing."""
        assert self.y_true is not None
        columns = [self.labelled.get_column(self.y_true), *answers]
        texts = pl.concat([normal_column(column) for column in columns])
        return texts.null_count() == 0 and texts.n_unique() <= 2


def _services(
    services: Columns | None, scores: Columns | None, y_true: str | None
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


def _refuse_overlap(columns: Sequence[str], attributes: Sequence[str], truth: str | None) -> None:
    for name in columns:
        if name in attributes or name == truth:
            part = "the truth" if name == truth else "an attribute"
            raise InputError(
                "services must be other columns than the attributes and the truth; got "
                f"{name!r}, which is {part}."
            )


def _part_unlabelled(
    rows: pl.DataFrame, pool: pl.DataFrame | None, truths: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Return the rows that score every service, and the pool; without one, all rows are it."""
    missing = np.zeros(rows.height, dtype=bool)
    for name in truths:
        missing |= is_missing(rows.get_column(name)).to_numpy()
    if not missing.any():
        return rows, pool
    if missing.all():
        raise InputError(
            f"columns {list(truths)} must all have a value in some row; got {rows.height} rows "
            "in which one is missing."
        )
    return rows.filter(~missing), rows if pool is None else pool
