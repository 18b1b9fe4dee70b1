"""Rows with a judge's scores and some blind labels of people, read for a certificate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import check_scores
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.judges import judge_scores, refuse_copies
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows, read_table, require_columns
from accuracy_assay.runtime.arrays import BoolArray, FloatArray, IntArray
from accuracy_assay.study.read.annotations import settle_answers
from accuracy_assay.study.read.spaces import resolve_space
from accuracy_assay.study.read.tables import read_tables
from accuracy_assay.study.read.texts import derive_values

__all__ = ["JudgedRows", "read_judged"]

NOT_BLIND = "labels given while seeing the verdict"
NO_OPINION = "rows without an opinion of the judge"


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Every row that the judge has scored, and the labelled ones.

    Parameters
    ----------
    space
        The attributes that have two values, the service among them.
    pool, pool_codes, pool_judge
        All rows that the certificate is about, their codes (n, K) and scores (n,).
    codes, judge, people
        Of the labelled rows, (m, K), (m,) and (m,).
    cluster, pool_cluster
        Cluster of each labelled row and of each row, if there are any.
    is_pool
        Whether it is about these very rows.
    services
        Services with a label.
    left_out
        How many labels or rows were left out, by why.
    is_candidate
        Rows of the pool whose label may be asked for; None if they cannot be told apart.
    """

    space: AttributeSpace
    pool: pl.DataFrame
    pool_codes: IntArray
    pool_judge: FloatArray
    codes: IntArray
    judge: FloatArray
    people: FloatArray
    cluster: IntArray | None
    pool_cluster: IntArray | None
    is_pool: bool
    services: tuple[str, ...]
    left_out: dict[str, int]
    is_candidate: BoolArray | None

    def passed(self, threshold: float) -> JudgedRows:
        """Return the same with what judge and people pass, 0 or 1, in place of scores."""
        said = (self.pool_judge, self.judge, self.people)
        pool_judge, judge, people = ((each >= threshold).astype(np.float64) for each in said)
        return replace(self, pool_judge=pool_judge, judge=judge, people=people)

    @property
    def has_labelled_values(self) -> BoolArray:
        """Which rows have no value that no label has, (n,)."""
        is_known = [
            np.isin(self.pool_codes[:, k], np.unique(self.codes[:, k]))
            for k in range(self.codes.shape[1])
        ]
        return np.asarray(np.all(is_known, axis=0))

    @property
    def unlabelled(self) -> tuple[str, ...]:
        """The values of attributes that no label has, in words."""
        names = []
        for k, attribute in enumerate(self.space.attributes):
            seen = set(self.codes[:, k].tolist())
            names += [
                f"{attribute.name} = {value}"
                for code, value in enumerate(attribute.values)
                if code not in seen
            ]
        return tuple(names)


def read_judged(
    columns: Columns,
    rows: Rows,
    pool: Rows,
    judge: str,
    service: str | None,
    blind: str | None,
    passes: Sequence[str],
) -> JudgedRows:
    """Return the rows of a certificate; see ``certify``."""
    columns, rows, pool = derive_values(columns, rows, pool)
    if columns.hidden:
        raise InputError(
            "a certificate must be over attributes that are known for every row; got guessed "
            f"ones, {list(columns.hidden)}. Leave them out of the attributes."
        )
    own = _with_scores(read_table(rows), judge, passes)
    every = None if pool is None else _with_scores(read_table(pool, what="pool"), judge, passes)
    own, n_seen = _blind_only(own, columns, blind)
    columns, own, every, *_ = settle_answers(columns, own, every)
    judged = own if every is None else every
    left_out = {NOT_BLIND: n_seen, NO_OPINION: judged.get_column(judge).null_count()}
    own = own.drop_nulls(judge)
    every = None if every is None else every.drop_nulls(judge)
    if not own.height:
        raise InputError(f"judge {judge!r} must have an opinion on some labelled row; got none.")
    tables = read_tables(columns, own, every)
    labelled = tables.labelled
    whole = labelled if tables.pool is None else tables.pool
    refuse_copies(labelled, tables.scores, [judge], columns.y_true)
    space = _space(columns, whole, labelled)
    return JudgedRows(
        space,
        whole,
        space.encode(whole),
        whole.get_column(judge).to_numpy(),
        space.encode(labelled),
        labelled.get_column(judge).to_numpy(),
        check_scores(tables.scores.to_numpy()),
        *_clusters(columns.cluster, labelled, whole),
        tables.pool is not None,
        () if service is None else _values(labelled, service),
        left_out,
        _candidates(columns, whole, labelled, has_own_pool=every is not None),
    )


def _with_scores(table: pl.DataFrame, judge: str, passes: Sequence[str]) -> pl.DataFrame:
    require_columns(table, [judge])
    return table.with_columns(judge_scores(table.get_column(judge), passes))


def _blind_only(
    rows: pl.DataFrame, columns: Columns, blind: str | None
) -> tuple[pl.DataFrame, int]:
    """Return the rows without the labels that nobody says were blind, and their number."""
    if blind is None:
        return rows, 0
    label = str(columns.label)
    require_columns(rows, [blind, label])
    column = rows.get_column(blind)
    if column.dtype != pl.Boolean and not column.dtype.is_numeric():
        raise InputError(
            f"blind must be a column of booleans, true where the label was given without seeing "
            f"the verdict; got {column.dtype} in {blind!r}."
        )
    is_blind = column.cast(pl.Boolean).fill_null(value=False)
    is_seen = ~is_blind & rows.get_column(label).is_not_null()
    kept = pl.when(is_seen).then(None).otherwise(pl.col(label)).alias(label)
    n_seen = int(is_seen.sum())
    if n_seen and rows.get_column(label).drop_nulls().len() == n_seen:
        raise InputError(
            f"a certificate must have blind labels; got {n_seen:,} labels, none of which "
            f"{blind!r} says was given without seeing the verdict."
        )
    return rows.with_columns(kept), n_seen


def _space(columns: Columns, whole: pl.DataFrame, labelled: pl.DataFrame) -> AttributeSpace:
    """Return the space of the attributes that have two values."""
    named = [
        a
        for a, name in zip(columns.attributes, columns.names, strict=True)
        if not isinstance(a, str)
        or pl.concat([t.get_column(name).cast(pl.String) for t in (whole, labelled)]).n_unique()
        > 1
    ]
    if not named:
        raise InputError(
            "attributes of a certificate must have at least one with two values; got "
            f"{list(columns.names)}. Add another attribute."
        )
    return resolve_space(named, whole, labelled)


def _clusters(
    name: str | None, labelled: pl.DataFrame, whole: pl.DataFrame
) -> tuple[IntArray | None, IntArray | None]:
    if name is None:
        return None, None
    both = pl.concat([t.get_column(name).cast(pl.String) for t in (labelled, whole)])
    number = both.rank("dense").to_numpy().astype(np.int64)
    return number[: labelled.height], number[labelled.height :]


def _candidates(
    columns: Columns, whole: pl.DataFrame, labelled: pl.DataFrame, *, has_own_pool: bool
) -> BoolArray | None:
    """Return which rows have no label; None if the pool is a table of its own without ids."""
    if not has_own_pool and columns.label in whole.columns:
        return whole.get_column(str(columns.label)).is_null().to_numpy()
    if columns.id is None or columns.id not in whole.columns:
        return None
    seen = labelled.get_column(columns.id).cast(pl.String)
    return ~whole.get_column(columns.id).cast(pl.String).is_in(seen.implode()).to_numpy()


def _values(table: pl.DataFrame, name: str) -> tuple[str, ...]:
    return tuple(table.get_column(name).cast(pl.String).unique().drop_nulls().sort().to_list())
