"""Labelled rows and a pool streamed from Parquet: from files to observations.

The counterpart of `study.read.exact_tables` for tables that may be larger than memory: attributes
are known, signals are columns. One pass over each table counts its groups and cuts numbers at
edges. Invalid values are refused with the same messages as in memory; only then is the row
searched for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import polars as pl

from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.missing_answers import MissingAnswers
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.strata import FEW_NUMBERS, MOST_CLASSES, clusters_of, stratify_one
from accuracy_assay.errors import InputError
from accuracy_assay.files.blank_texts import is_missing_sql
from accuracy_assay.files.parquet_rows import ParquetRows
from accuracy_assay.files.row_counts import count_rows
from accuracy_assay.files.row_numbers import numbered_from
from accuracy_assay.files.tables import Rows, read_table
from accuracy_assay.files.unique_ids import require_unique_rows
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.study.read.exact_tables import RowGroups, problem_of_groups
from accuracy_assay.study.read.how import How
from accuracy_assay.study.read.leaks import can_leak, leak_refusal, reveals_score
from accuracy_assay.study.read.problem import LabelledProblem
from accuracy_assay.study.read.spaces import resolve_space
from accuracy_assay.study.read.streamed_answers import find_unanswered, only_answered
from accuracy_assay.study.read.streamed_scores import (
    LABELS,
    MISSING,
    ROWS,
    SCORE,
    SCORE_SQ,
    StreamedScores,
)
from accuracy_assay.study.read.tables import check_weight, cluster_column, require, weight_unit

__all__ = ["StreamedTables", "open_tables"]

_LARGE = 1_000_000
"""Above this many rows, ids are searched for before rows are counted."""
_LOOKED_AT = 20_000
"""First rows, which decide whether a column may be an id."""
_OWN_SHARE = 0.6
"""With this many distinct values per row it is an id: fewer than two rows share a value, which
`Attribute.infer` would refuse. Below one, since the count is approximate."""


@contextmanager
def open_tables(
    columns: Columns, rows: Rows, pool: Rows = None
) -> Iterator[StreamedTables | None]:
    """Give the rows and the pool as files; None if neither is Parquet.

    If only one is, the other, which fits into memory, is written to a temporary file.
    """
    found = ParquetRows.find(rows), ParquetRows.find(pool, what="pool")
    tables = [table for table in found if table is not None]
    if not any(found) or not all(_can_stream(columns, table) for table in tables):
        yield None
        return
    with TemporaryDirectory(prefix="assay-") as folder:
        labelled, everything = found
        if labelled is None:
            labelled = ParquetRows.write(read_table(rows), Path(folder) / "rows.parquet")
        if everything is None and pool is not None:
            frame = read_table(pool, what="pool")
            everything = ParquetRows.write(frame, Path(folder) / "pool.parquet", what="pool")
        yield StreamedTables(columns, labelled, everything)


def _can_stream(columns: Columns, table: ParquetRows) -> bool:
    """Return whether a table can be counted in place: not if numbers need a place for silence."""
    said = columns.y_pred
    if not table.is_askable or said not in columns.signals or said not in table.schema:
        return table.is_askable
    if not table.schema[said].is_numeric():
        return True
    is_silent = is_missing_sql(table.column(said), table.schema[said])
    return not table.ask([f"count(*) FILTER ({is_silent})"]).item()


def _extremes(pool: ParquetRows, weight: str | None) -> pl.DataFrame:
    """Return the smallest and the largest weight, and one that is not a number, if any."""
    if weight is None or weight not in pool.schema or not pool.schema[weight].is_numeric():
        return pool.head
    value = f"{pool.column(weight)}::DOUBLE"
    found = pool.ask(
        [
            f"min({value}) FILTER (NOT isnan({value}))",
            f"max({value}) FILTER (NOT isnan({value}))",
            f"bool_or(isnan({value}))",
            f"count(*) - count({value})",
        ]
    )
    least, most, has_nan, n_missing = found.row(0)
    shown = [least, most, *([float("nan")] if has_nan else []), *([None] if n_missing else [])]
    return pl.DataFrame({weight: pl.Series(shown, dtype=pl.Float64)})


@dataclass(frozen=True)
class StreamedTables:
    """The labelled rows and the pool, None if there are only labelled rows.

    Attributes are known for every row, and signals are columns.
    """

    columns: Columns
    rows: ParquetRows
    pool: ParquetRows | None

    def read(self, how: How) -> LabelledProblem:
        """Return the problem; equal rows are counted in place."""
        self._check()
        missing = find_unanswered(self.columns, self.rows)
        if missing is None or missing.rule != "drop":
            return self._read(how, missing)
        pool = None if self.pool is None else only_answered(self.columns, self.pool)
        kept = replace(self, rows=only_answered(self.columns, self.rows), pool=pool)
        return kept._read(how, missing)

    def _read(self, how: How, missing: MissingAnswers | None) -> LabelledProblem:
        rows, columns = self.rows, self.columns
        whole = rows if self.pool is None else self.pool
        found = [_stratify(whole, signal) for signal in columns.signals]
        signals = [signal for signal in found if signal is not None]
        cut = [a for a in columns.attributes if isinstance(a, Attribute)] + signals
        belonging = [] if columns.cluster is None else [columns.cluster]
        keys = _Keys(
            (*columns.names, *(s.name for s in signals), *belonging),
            {a.name: a.edges for a in cut if a.edges is not None},
        )
        for table in (rows, whole):
            _refuse_ids(table, [name for name in columns.names if name not in keys.edges])
        scores = StreamedScores(rows, columns)
        counted = scores.count(keys.terms(rows), how.engine, how.on_share)
        counted = keys.typed(counted, rows)
        self._refuse_leak(scores, counted)
        labelled = _Counted(keys, rows, counted.filter(pl.col(LABELS) > 0), scores)
        everything = self._count_pool(keys, counted, how)
        parts = [labelled] if everything is None else [everything, labelled]
        space = resolve_space(columns.attributes, *(part.values for part in parts))
        strata = self._strata(signals, parts)
        stratum = None
        if strata is not None:
            stratum = strata.arm_index(np.concatenate([part.codes(strata) for part in parts]))
        codes = np.concatenate([part.codes(space) for part in parts])
        size = parts[0].groups[ROWS if everything is not None else LABELS]
        if how.on_share is not None:
            how.on_share(1.0)
        problem = problem_of_groups(
            RowGroups(space, codes, strata, stratum),
            size,
            labelled.groups.select(LABELS, SCORE, SCORE_SQ),
            how.is_pool,
        )
        if missing is None and columns.score is None:
            n_silent, n_labels = (int(counted[name].sum()) for name in (MISSING, LABELS))
            missing = MissingAnswers("wrong", n_silent, n_labels)
        return replace(problem, missing=missing)

    def _check(self) -> None:
        """Raise an error unless columns exist, weights are above 0 and ids are unique."""
        pool, columns = self.pool, self.columns
        require(columns, self.rows.head, None if pool is None else pool.head)
        check_weight(columns, None if pool is None else _extremes(pool, columns.weight))
        if columns.id is not None:
            for table in (self.rows, pool):
                if table is not None:
                    require_unique_rows(table, columns.id)

    def _count_pool(self, keys: _Keys, counted: pl.DataFrame, how: How) -> _Counted | None:
        """Return the counts of the pool; without one, of all rows if some have no label."""
        if self.pool is None:
            if counted[ROWS].sum() == counted[LABELS].sum():
                return None
            return _Counted(keys, self.rows, counted)
        size = "count(*)"
        if self.columns.weight is not None:
            weights = _extremes(self.pool, self.columns.weight).get_column(self.columns.weight)
            unit = weight_unit(float(weights.to_numpy().max()))
            size = f"sum({self.pool.column(self.columns.weight)}::DOUBLE / '{unit!r}'::DOUBLE)"
        terms = keys.terms(self.pool)
        found = count_rows(self.pool, terms, {ROWS: size}, how.engine, how.on_share)
        return _Counted(keys, self.pool, keys.typed(found, self.pool))

    def _strata(
        self, signals: Sequence[Attribute], parts: Sequence[_Counted]
    ) -> AttributeSpace | None:
        attributes = list(signals)
        clusters = cluster_column(self.columns.cluster, *(part.groups for part in parts))
        if clusters is not None:
            sizes = [p.groups[LABELS if p.scores is not None else ROWS] for p in parts]
            count = pl.concat([size.cast(pl.Int64) for size in sizes])
            attributes.append(clusters_of(clusters, count))
        return AttributeSpace(tuple(attributes)) if attributes else None

    def _refuse_leak(self, scores: StreamedScores, counted: pl.DataFrame) -> None:
        """Raise an error if a signal gives the answer away; mostly the first batch clears all."""
        names, signals = self.columns.names, self.columns.signals
        pairs = [(attribute, signal) for attribute in names for signal in signals]
        for pair in pairs:
            if pair == (self.columns.y_true, self.columns.y_pred):
                raise leak_refusal(*pair)
        labels, right, squares = (float(counted[c].sum()) for c in (LABELS, SCORE, SCORE_SQ))
        is_yes_or_no = right == squares and 0.0 < right < labels
        if not pairs or not can_leak(int(labels), 2 if is_yes_or_no else 1):
            return
        for batch, score in scores.batches([*names, *signals]):
            pairs = [pair for pair in pairs if reveals_score(batch, score, *pair)]
            if not pairs:
                return
        raise leak_refusal(*pairs[0])


@dataclass(frozen=True)
class _Keys:
    """The columns that rows are grouped by, and the edges at which some are cut."""

    columns: tuple[str, ...]
    edges: Mapping[str, tuple[float, ...]]

    def terms(self, rows: ParquetRows) -> dict[str, str]:
        """Return the SQL expressions by column."""
        return {
            name: _bin(rows.column(name), self.edges[name])
            if self.is_cut(name, rows)
            else rows.column(name)
            for name in self.columns
        }

    def is_cut(self, name: str, rows: ParquetRows) -> bool:
        """Return whether a column holds numbers that are cut at edges."""
        return name in self.edges and rows.schema[name].is_numeric()

    def typed(self, found: pl.DataFrame, rows: ParquetRows) -> pl.DataFrame:
        """Return counted groups with the types of the files, except for bin numbers."""
        plain = [name for name in self.columns if not self.is_cut(name, rows)]
        return found.with_columns(rows.typed(found.select(plain)).get_columns())


@dataclass(frozen=True)
class _Counted:
    """The counted groups of one table; only of labelled rows if ``scores`` is given."""

    keys: _Keys
    rows: ParquetRows
    groups: pl.DataFrame
    scores: StreamedScores | None = None

    @property
    def values(self) -> pl.DataFrame:
        """The groups by their columns."""
        return self.groups.select(self.keys.columns)

    def codes(self, space: AttributeSpace) -> IntArray:
        """Return the codes (n, K) of the groups; an error names the row."""
        try:
            columns = [self._code(attribute) for attribute in space.attributes]
        except InputError:
            self._refuse(space)
            raise
        return np.stack(columns, axis=1)

    def _code(self, attribute: Attribute) -> IntArray:
        column = self.groups.get_column(attribute.name)
        if not self.keys.is_cut(attribute.name, self.rows):
            return attribute.encode(column)
        if column.null_count():
            raise InputError(f"attribute {attribute.name!r} must be a finite number in every row.")
        return column.to_numpy().astype(np.int64)

    def _refuse(self, space: AttributeSpace) -> None:
        """Read rows until the first that is not in the space raises an error."""
        batches: Iterator[pl.DataFrame]
        if self.scores is not None:
            batches = (batch for batch, _ in self.scores.batches(list(space.names)))
        else:
            batches = self.rows.batches(space.names)
        first = 0
        for batch in batches:
            with numbered_from(first):
                space.encode(batch)
            first += batch.height


def _refuse_ids(rows: ParquetRows, attributes: Sequence[str]) -> None:
    """Raise an error if an attribute of a large table is an id: its groups would be the rows.

    `Attribute.infer` refuses it too, but only after counting.
    """
    if rows.n_rows < _LARGE or not attributes:
        return
    columns = [rows.column(name) for name in attributes]
    first = rows.ask(columns, f"LIMIT {_LOOKED_AT}")
    for name, column, start in zip(attributes, columns, first, strict=True):
        if start.n_unique() < _OWN_SHARE * start.len():
            continue
        n_distinct = int(rows.ask([f"approx_count_distinct({column})"]).item())
        if n_distinct > _OWN_SHARE * rows.n_rows:
            raise InputError(
                f"attribute {name!r} must have few values, since every combination of values is "
                f"an arm; got about {n_distinct} in {rows.n_rows} rows, such as "
                f"{start.drop_nulls()[0]!r:.80}. Group them into a column with fewer, or cut "
                "numbers at edges."
            )


def _bin(column: str, edges: Sequence[float]) -> str:
    """Return the SQL expression of a number's bin, null if it is not finite."""
    value = f"{column}::DOUBLE"
    above = " + ".join(f"({value} >= '{edge!r}'::DOUBLE)::BIGINT" for edge in map(float, edges))
    return f"CASE WHEN isfinite({value}) THEN {above} END"


def _stratify(rows: ParquetRows, signal: str) -> Attribute | None:
    """Return the strata of a signal; numbers to cut are held, eight bytes per row."""
    column = rows.column(signal)
    few = rows.ask([f"DISTINCT {column}"], f"LIMIT {MOST_CLASSES + 1}")
    values = rows.typed(few.rename({"c0": signal})).to_series()
    if values.dtype.is_numeric() and values.len() > FEW_NUMBERS:
        return stratify_one(rows.read([signal]).to_series(), values.len())
    if values.len() <= MOST_CLASSES:
        return stratify_one(values)
    return stratify_one(values, int(rows.ask([f"count(DISTINCT {column})"]).item()))
