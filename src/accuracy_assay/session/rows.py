"""The rows of an assay: the pool, the seed set, and what is known of their attributes.

Notation: n rows, the first ``n_pool`` of which are the pool; rows of the seed set that are not in
the pool follow. K attributes; ``gold`` (n, K) holds the codes that the seed set knows, -1
elsewhere. If the pool is kept (``session.cache.pool``), the tables are read only when needed,
which is rare.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from accuracy_assay.domain.arm_values import refuse_taken_names
from accuracy_assay.domain.evidence import Evidence, columns_by_value
from accuracy_assay.domain.history import check_history
from accuracy_assay.domain.missing_answers import MissingAnswers, settle, unanswered
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.domain.strata import clusters_of
from accuracy_assay.domain.text.columns import with_text_columns
from accuracy_assay.errors import InputError
from accuracy_assay.files.blank_texts import is_missing
from accuracy_assay.files.picked_rows import pick_rows
from accuracy_assay.files.tables import Rows, read_table, require_columns, require_unique
from accuracy_assay.files.texts import (
    as_text,
    as_texts,
    digest_texts,
    find_text,
    require_plain,
    text_positions,
)
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.session.cache.pool import KeptPool
from accuracy_assay.session.cache.table import KeptTable
from accuracy_assay.spec.model import AttributeSection, Spec
from accuracy_assay.study.watch.times import require_times

__all__ = ["AssayRows", "Tables"]


_ID = "__assay_id"


@dataclass(frozen=True, eq=False)
class Tables:
    """What was read: all rows, their ids as texts, what is known of their attributes."""

    frame: pl.DataFrame
    names: pl.Series
    evidence: Evidence
    gold: IntArray

    @cached_property
    def order(self) -> pl.Series:
        """The rows in the order of their ids."""
        return self.names.arg_sort()


@dataclass(frozen=True, eq=False)
class AssayRows:
    """The pool and the seed set, read and checked.

    Parameters
    ----------
    n_rows, n_pool
        Rows in all, and of the pool.
    space
        The attributes and their values.
    seed_labels
        Labels of the seed set by row.
    load
        Function that reads the tables.
    kept
        What is kept of them, where it is.
    n_left_out
        Rows of the pool's table that are left out because a service has no answer.
    """

    n_rows: int
    n_pool: int
    space: AttributeSpace
    seed_labels: Mapping[int, str]
    load: Callable[[], Tables]
    kept: KeptPool | None = None
    n_left_out: int = 0

    @classmethod
    def read(
        cls, spec: Spec, pool: Rows = None, seed_set: Rows = None, kept: Path | None = None
    ) -> AssayRows:
        """Read the tables that the spec names, or those given in their place.

        ``kept`` is the folder in which topics and tags of texts are looked for and left.
        """
        rows = _table(spec.pool.path if pool is None else pool, spec.pool.id, "pool")
        source = spec.pool.seed_set if seed_set is None else seed_set
        if source is None:
            seed = rows.clear()
        else:
            seed = _table(source, spec.pool.id, "seed set")
            require_columns(seed, [spec.label.column], what="seed set")
        rows, seed = _with_texts(spec, rows, seed, kept)
        _require(spec, rows)
        n_all, (rows, seed) = rows.height, _answered(spec, rows, seed)
        space = AttributeSpace(tuple(_attribute(a, spec, rows, seed) for a in spec.attribute))
        refuse_taken_names(space)
        every = pl.concat(
            [rows, seed.filter(~pl.col(_ID).is_in(rows.get_column(_ID).implode()))],
            how="diagonal_relaxed",
        )
        if spec.pool.cluster is not None:
            if every.height > rows.height:
                require_columns(seed, [spec.pool.cluster], what="seed set")
            clusters_of(every.get_column(spec.pool.cluster))
        if spec.pool.time is not None:
            require_times(rows.get_column(spec.pool.time))
        names = every.get_column(_ID)
        places = _places(seed.get_column(_ID), names)
        gold = np.broadcast_to(np.int64(-1), (every.height, len(space.attributes)))
        if seed.height:
            gold = gold.copy()
            gold[places] = _gold(space, spec, seed)
        labels = _seed_labels(spec, seed) if seed.height else ()
        evidence = Evidence.from_frame(
            every,
            space,
            {a.name: a.evidence for a in spec.attribute if a.evidence is not None},
            from_label=[a.name for a in spec.attribute if a.from_label],
        )
        tables = Tables(every.drop(_ID), names, evidence, gold)
        return cls(
            every.height,
            rows.height,
            space,
            {row: label for row, label in zip(places.tolist(), labels, strict=True) if label},
            lambda: tables,
            n_left_out=n_all - rows.height,
        )

    @cached_property
    def tables(self) -> Tables:
        """The tables; read when they are first wanted."""
        return self.load()

    def read_now(self) -> None:
        """Read the tables now, unless the pool is so large that its rows are looked up."""
        if self.part is None:
            _ = self.tables

    @property
    def frame(self) -> pl.DataFrame:
        """All rows with all columns."""
        return self.tables.frame

    @property
    def evidence(self) -> Evidence:
        """What is known of the attributes of every row."""
        return self.tables.evidence

    @property
    def gold(self) -> IntArray:
        """Codes that the seed set knows, (n, K)."""
        return self.tables.gold

    @property
    def part(self) -> KeptTable | None:
        """The columns that surfaces rest on, of a large pool that is kept; else None."""
        return None if self.kept is None else self.kept.table

    @property
    def columns(self) -> Sequence[str]:
        """The columns to be looked up: where no table is read those that surfaces rest on."""
        return self.frame.columns if self.part is None else self.part.columns

    def take(self, rows: Sequence[int] | IntArray, columns: Sequence[str]) -> pl.DataFrame:
        """Return the given rows of some columns; of a large pool that is kept no others are read.

        Parameters
        ----------
        rows
            Row numbers.
        columns
            Names of columns.
        """
        index = np.asarray(rows, dtype=np.int64)
        if self.part is not None and not columns:
            return pl.DataFrame()
        if self.part is not None and set(columns) <= set(self.part.columns):
            return self.part.take(index, columns)
        if self.kept is not None and self.part is not None and "tables" not in vars(self):
            entry = self.kept.entry
            found = pick_rows(Path(entry.tables[0]), index, columns, self.n_pool)
            entry.require_current()
            if found is not None:
                return found
        return self.frame[index].select(columns)

    @cached_property
    def ids(self) -> Sequence[str]:
        """The ids of all rows."""
        if self.kept is not None:
            return self.kept.ids
        return tuple(self.tables.names.to_list())

    def numbers(self, ids: Iterable[str]) -> IntArray:
        """Return the row numbers of ids."""
        return np.asarray([self.row_of[i] for i in ids], dtype=np.int64)

    @cached_property
    def row_of(self) -> Mapping[str, int]:
        """Row number of each id."""
        if self.kept is not None:
            return self.kept.ids.rows
        return {name: row for row, name in enumerate(self.ids)}

    def find_id(self, value: Any) -> str:
        """Return the id of a pool row as the pool writes it, however ``value`` is written.

        Raises
        ------
        InputError
            If no row of the pool has it.
        """
        if self.kept is not None:
            return self.kept.find_id(value)
        row = self.row_of.get(as_text(value))
        if row is None:
            row = find_text(value, self._positions)
        if row is None or row >= self.n_pool:
            raise InputError(f"instance must have an id of the pool; got {as_text(value)!r:.80}.")
        return self.ids[row]

    @cached_property
    def _positions(self) -> Mapping[str, int]:
        """Rows by every way of writing their ids; made when an id is not found as it is."""
        return text_positions(self.ids)

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the pool's ids, whatever their order."""
        if self.kept is not None:
            return str(self.kept.card["ids_digest"])
        return digest_texts(self.tables.names[: self.n_pool].sort())


def _table(source: Rows, id_column: str, what: str) -> pl.DataFrame:
    if source is None:
        raise InputError(
            f"{what} must be a table; got none. Name its file in the spec ([pool] path), or pass "
            "the table itself."
        )
    frame = read_table(source, what=what)
    require_columns(frame, [id_column], what=what)
    column = frame.get_column(id_column)
    missing = is_missing(column)
    if missing.any():
        raise InputError(
            f"column {id_column!r} of {what} must have a value in every row; got a missing one in "
            f"row {int(missing.arg_true()[0])}."
        )
    texts = _texts(column)
    require_unique(texts.alias(id_column), what=what)
    return frame.with_columns(texts)


def _texts(column: pl.Series) -> pl.Series:
    """Return the texts of a column of ids; one by one only where Polars writes them otherwise."""
    if column.dtype == pl.String or column.dtype.is_integer():
        return column.cast(pl.String).alias(_ID)
    return pl.Series(_ID, as_texts(column.to_list()), dtype=pl.String)


def _places(wanted: pl.Series, names: pl.Series) -> IntArray:
    """Return the rows that have the wanted ids, all of which are there."""
    if not wanted.len():
        return np.zeros(0, dtype=np.int64)
    rows = names.to_frame().with_row_index("row")
    found = wanted.to_frame().join(rows, on=_ID, how="left", maintain_order="left")
    return found.get_column("row").cast(pl.Int64).to_numpy()


def _with_texts(
    spec: Spec, pool: pl.DataFrame, seed: pl.DataFrame, kept: Path | None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return both tables with what the spec derives from their texts."""
    wanted = [a.text for a in spec.attribute if a.text is not None]
    if not wanted:
        return pool, seed
    columns = [text.column for text in wanted]
    require_columns(pool, columns, what="pool")
    if not seed.height:
        (pool,) = with_text_columns(wanted, [pool], kept=kept)
        return pool, pool.clear()
    require_columns(seed, columns, what="seed set")
    pool, seed = with_text_columns(wanted, [pool, seed], kept=kept)
    return pool, seed


def _require(spec: Spec, pool: pl.DataFrame) -> None:
    """Raise an error that names the first column of the spec that the pool lacks."""
    shown = [column for _, column in spec.label.shown]
    predicted = [c for s in spec.service if s.column for c in (s.column, s.confidence) if c]
    free = [c for s in spec.service for c in s.signals or ()]
    free += [j.column for j in spec.judge if j.column is not None]
    exact = [a.name for a in spec.attribute if not (a.evidence or a.from_label)]
    named = [name for name in (spec.pool.cluster, spec.pool.time) if name is not None]
    require_columns(pool, [*exact, *predicted, *free, *named, *shown], what="pool")
    check_history(pool, spec.pool.history, "pool")
    if spec.label.agreement == "equal":
        for service in spec.service:
            if service.column is not None:
                require_plain(pool.get_column(service.column), "column", may_be_json=True)
    for name in shown:
        if name in ("arm", "why", "unsure"):
            raise InputError(
                "shown columns must differ from 'arm', 'why' and 'unsure', which a batch has of "
                f"its own; got {name!r}. Rename that column."
            )


def _answered(
    spec: Spec, pool: pl.DataFrame, seed: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return both tables without rows that a service has no answer to, if these are left out.

    Only services that are columns: one that is called may not have been called yet.

    Raises
    ------
    InputError
        If such rows are refused.
    """
    rule, names = spec.label.missing_prediction, [s.column for s in spec.service if s.column]
    if rule == "wrong":
        return pool, seed
    is_silent = pl.repeat(value=False, n=pool.height, eager=True)
    for name in names:
        without = unanswered(pool.get_column(name))
        ids = pool.get_column(_ID).filter(without).alias(spec.pool.id)
        found = MissingAnswers(rule, ids.len(), pool.height)
        settle(found, name, ids.head, "row of the pool")
        is_silent |= without
    if rule == "drop" and is_silent.all():
        raise InputError(
            "some row of the pool must have an answer of every service; got none in "
            f"{pool.height:,}, and missing_prediction = 'drop' leaves them all out."
        )
    lost = pool.get_column(_ID).filter(is_silent)
    beside = seed.filter(~pl.col(_ID).is_in(lost.implode()))
    for name in names:
        if name in seed.columns:
            beside = beside.filter(~unanswered(beside.get_column(name)))
    return pool.filter(~is_silent), beside


def _seed_labels(spec: Spec, seed: pl.DataFrame) -> tuple[str, ...]:
    column = seed.get_column(spec.label.column)
    if spec.label.agreement == "equal":
        require_plain(column, "column", may_be_json=True)
    return as_texts(column)


def _attribute(
    section: AttributeSection, spec: Spec, pool: pl.DataFrame, seed: pl.DataFrame
) -> Attribute:
    """Return an attribute; values that are not declared are read off what there is."""
    name, kind = section.name, section.kind
    if section.edges is not None and section.text is None:
        missing = section.missing
        return Attribute(name, kind=kind or "continuous", edges=section.edges, missing=missing)
    if section.values:
        return Attribute(name, section.values, kind or "categorical", missing=section.missing)
    if section.evidence is not None:
        values = sorted(columns_by_value(section.evidence, pool.columns))
        return Attribute(name, tuple(values), kind or "categorical")
    if section.from_label and spec.label.choices:
        return Attribute(name, spec.label.choices, kind or "categorical")
    tables = [t for t in (pool, seed) if name in t.columns and t.height]
    if section.from_label or not tables:
        raise InputError(
            f"attribute {name!r} must have values; got none. Give the spec values = [...] for it, "
            "or choices = [...] under [label] where the label reveals it."
        )
    columns = [t.get_column(name) for t in tables]
    return Attribute.infer(columns[0], kind=kind, extra=columns[1:], missing=section.missing)


def _gold(space: AttributeSpace, spec: Spec, seed: pl.DataFrame) -> IntArray:
    """Return the gold codes of the seed set (m, K); the label is the gold of what it reveals."""
    columns = []
    for section, attribute in zip(spec.attribute, space.attributes, strict=True):
        own = attribute.name in seed.columns
        source = attribute.name if own or not section.from_label else spec.label.column
        if not own and section.text is not None:
            raise InputError(
                f"seed set must have a column {attribute.name!r} with what people say, by which "
                f"the probabilities of feature {section.feature!r} are calibrated; got none. Add "
                "it, or leave the attribute out. Topics are known as feature 'main-topic'."
            )
        require_columns(seed, [source], what="seed set")
        columns.append(attribute.encode(seed.get_column(source)))
    return np.stack(columns, axis=1)
