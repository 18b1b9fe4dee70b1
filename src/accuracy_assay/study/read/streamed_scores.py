"""Labels of streamed rows: how many each group has, and the sums of their scores.

A column of scores is summed in one query. If truth and prediction are classes, pairs are counted
and each pair is compared once. Everything else (texts, another agreement) is compared batch by
batch, by the function that compares rows in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from accuracy_assay.domain.agreement import (
    check_scores,
    equal_columns,
    is_missing,
    warn_of_no_match,
)
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.missing_answers import unanswered
from accuracy_assay.errors import AssayError, InputError
from accuracy_assay.files.parquet_rows import OnShare, ParquetRows, Part
from accuracy_assay.files.row_counts import count_rows, merge_counts
from accuracy_assay.files.row_numbers import numbered_from
from accuracy_assay.runtime.engine import LOCAL, Engine

__all__ = ["LABELS", "MISSING", "ROWS", "SCORE", "SCORE_SQ", "StreamedScores"]

ROWS, LABELS = "__assay_rows", "__assay_labels"
SCORE, SCORE_SQ, MISSING = "__assay_score", "__assay_score_sq", "__assay_missing"
"""Columns of counted groups: their rows, labels, sums of scores and of the squares, and labels of
rows without an answer that count as wrong."""

_SUMS = [ROWS, LABELS, SCORE, SCORE_SQ, MISSING]
_WRONG = "__assay_wrong"
_TRUTH, _SAID = "__assay_truth", "__assay_said"
_LOOKED_AT = 20_000
"""First rows, which decide whether truth and prediction are classes."""
_FEW_PAIRS = 0.1
"""They are if at most this share of the pairs is distinct. Chosen by hand: comparing pairs pays if
many rows have the same."""


@dataclass(frozen=True)
class StreamedScores:
    """The rows, and what their columns mean."""

    rows: ParquetRows
    columns: Columns

    def count(
        self, keys: Mapping[str, str], engine: Engine = LOCAL, on_share: OnShare | None = None
    ) -> pl.DataFrame:
        """Return one row per group of rows with the same keys (name: SQL expression).

        Raises
        ------
        InputError
            If no row has a label, or a label has no score in [0, 1]; the message names its row.
        """
        self._scores(self.rows.head)
        try:
            found, n_wrong = self._count(keys, engine, on_share)
        except AssayError:
            self._refuse()
            raise
        if n_wrong:
            self._refuse()
        if not found[LABELS].sum():
            raise InputError(
                f"column {self.label!r} must have a value in some row; got {found[ROWS].sum()} "
                "rows without one."
            )
        return found

    @property
    def label(self) -> str:
        """The column that is empty in rows without a label."""
        assert self.columns.label is not None
        return self.columns.label

    def batches(self, columns: list[str]) -> Iterator[tuple[pl.DataFrame, pl.Series]]:
        """Yield the labelled rows in order, with their scores; an error names the row."""
        first = 0
        for batch in self.rows.batches([*columns, *self.columns.scored_by]):
            labelled = batch.filter(pl.col(self.label).is_not_null())
            with numbered_from(first):
                scores = self._scores(labelled)
                check_scores(scores.to_numpy())
            first += labelled.height
            yield labelled, scores

    def _refuse(self) -> None:
        """Read rows until the first invalid score raises an error."""
        for _ in self.batches([]):
            pass

    def _scores(self, labelled: pl.DataFrame) -> pl.Series:
        return self.columns.scores(labelled, warn=False)

    def _count(
        self, keys: Mapping[str, str], engine: Engine, on_share: OnShare | None
    ) -> tuple[pl.DataFrame, int]:
        """Return the groups, and how many labels have no valid score."""
        if self.columns.score is not None:
            return self._sum_scores(keys, engine, on_share)
        if self.columns.agreement == "equal" and self._are_classes():
            return self._compare_pairs(keys, engine, on_share)
        return self._compare_batches(keys, engine, on_share), 0

    def _sum_scores(
        self, keys: Mapping[str, str], engine: Engine, on_share: OnShare | None
    ) -> tuple[pl.DataFrame, int]:
        assert self.columns.score is not None
        column = self.rows.column(self.columns.score)
        value = f"{column}::DOUBLE"
        sums = {
            ROWS: "count(*)",
            LABELS: f"count({column})",
            SCORE: f"coalesce(sum({value}), 0)",
            SCORE_SQ: f"coalesce(sum({value} * {value}), 0)",
            _WRONG: f"count(*) FILTER (NOT ({value} >= 0 AND {value} <= 1))",
        }
        found = count_rows(self.rows, keys, sums, engine, on_share)
        n_wrong = int(found[_WRONG].sum())
        return found.drop(_WRONG).with_columns(pl.lit(0).alias(MISSING)), n_wrong

    def _are_classes(self) -> bool:
        """Return whether the first rows have few distinct pairs of truth and prediction."""
        terms = [self.rows.column(column) for column in self.columns.scored_by]
        pairs = self.rows.ask(terms, f"LIMIT {_LOOKED_AT}")
        return pairs.n_unique() <= max(_FEW_PAIRS * pairs.height, _FEW_PAIRS * _LOOKED_AT)

    def _compare_pairs(
        self, keys: Mapping[str, str], engine: Engine, on_share: OnShare | None
    ) -> tuple[pl.DataFrame, int]:
        y_true, y_pred = self.columns.scored_by
        terms = {_TRUTH: self.rows.column(y_true), _SAID: self.rows.column(y_pred)}
        found = count_rows(self.rows, {**keys, **terms}, {ROWS: "count(*)"}, engine, on_share)
        truth = self.rows.typed(found.select(pl.col(_TRUTH).alias(y_true))).to_series()
        said = self.rows.typed(found.select(pl.col(_SAID).alias(y_pred))).to_series()
        has_label = truth.is_not_null()
        same, is_silent = equal_columns(truth, said), has_label & unanswered(said, truth)
        is_wrong = has_label & (is_missing(truth) | (same.is_null() & ~is_silent))
        labels = found[ROWS].zip_with(has_label, pl.repeat(0, found.height, eager=True))
        right = (labels * same.fill_null(value=False)).cast(pl.Float64)
        n_wrong = int(found[ROWS].filter(is_wrong).sum())
        if not (right.sum() or n_wrong):
            is_said = has_label & ~is_silent
            n_said = int(labels.filter(is_said).sum())
            warn_of_no_match(n_said, truth.filter(is_said), said.filter(is_said))
        summed = found.select(
            *keys,
            ROWS,
            labels.alias(LABELS),
            right.alias(SCORE),
            right.alias(SCORE_SQ),
            (labels * is_silent).alias(MISSING),
        )
        groups = summed.group_by(list(keys)).agg(pl.col(_SUMS).sum())
        return groups, n_wrong

    def _compare_batches(
        self, keys: Mapping[str, str], engine: Engine, on_share: OnShare | None
    ) -> pl.DataFrame:
        parts = self.rows.parts()
        waiting: list[pl.DataFrame] = []
        compare = _Compare(self, tuple(keys.items()))
        for done, found in enumerate(engine.map(compare, parts), start=1):
            waiting = [merge_counts([*waiting, found], list(keys))]
            if on_share is not None:
                on_share(done / len(parts))
        n_said = int(waiting[0][LABELS].sum()) - int(waiting[0][MISSING].sum())
        if self.columns.agreement == "equal" and not waiting[0][SCORE].sum():
            seen = self.rows.read(self.columns.scored_by, parts[0])
            warn_of_no_match(n_said, *seen.drop_nulls().get_columns())
        return waiting[0]


@dataclass(frozen=True)
class _Compare:
    """The work on one part: compare truth and prediction row by row, and count."""

    scored_by: StreamedScores
    keys: tuple[tuple[str, str], ...]

    def __call__(self, part: Part) -> pl.DataFrame:
        rows, names = self.scored_by.rows, self.scored_by.columns.scored_by
        terms = [term for _, term in self.keys] + [rows.column(name) for name in names]
        found = rows.ask(terms, part=part)
        keys = found[:, : len(self.keys)].rename(
            {f"c{k}": name for k, (name, _) in enumerate(self.keys)}
        )
        compared = found[:, len(self.keys) :]
        compared = rows.typed(compared.rename(dict(zip(compared.columns, names, strict=True))))
        has_label = compared.get_column(self.scored_by.label).is_not_null()
        labelled = compared.filter(has_label)
        scores = check_scores(self.scored_by._scores(labelled).to_numpy())
        truth, said = (labelled.get_column(name) for name in names)
        known = keys.filter(has_label).with_columns(
            pl.lit(1, pl.Int64).alias(LABELS),
            unanswered(said, truth).cast(pl.Int64).alias(MISSING),
            pl.Series(SCORE, scores),
        )
        open_rows = keys.filter(~has_label).with_columns(
            *(pl.lit(0, pl.Int64).alias(name) for name in (LABELS, MISSING)),
            pl.lit(0.0).alias(SCORE),
        )
        table = pl.concat([known, open_rows])
        return table.group_by(keys.columns).agg(
            pl.len().cast(pl.Int64).alias(ROWS),
            pl.col(LABELS, MISSING).sum(),
            pl.col(SCORE).sum(),
            (pl.col(SCORE) * pl.col(SCORE)).sum().alias(SCORE_SQ),
        )
