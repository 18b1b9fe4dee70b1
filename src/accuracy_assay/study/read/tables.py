"""Labelled rows and a pool in memory: read once, checked once, with every signal as a column.

Invalid values are refused here, whatever question is asked of the tables afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from accuracy_assay.domain.answer_form import with_answer_form
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.history import check_history, refuse_own_scores, with_history
from accuracy_assay.domain.judges import (
    check_judge,
    refuse_copies,
    warn_of_outside,
    with_ordered_scores,
)
from accuracy_assay.domain.missing_answers import MissingAnswers
from accuracy_assay.domain.part_judged import PartJudged
from accuracy_assay.domain.referees import with_referees
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.domain.strata import FEW_NUMBERS, stratify
from accuracy_assay.errors import InputError
from accuracy_assay.files.blank_texts import is_missing
from accuracy_assay.files.tables import Rows, read_columns, require_columns, require_unique
from accuracy_assay.files.texts import normal_column
from accuracy_assay.runtime.arrays import IntArray
from accuracy_assay.study.read.leaks import refuse_leak
from accuracy_assay.study.read.part_opinions import fill_opinions, part_judges
from accuracy_assay.study.read.spaces import resolve_space

__all__ = [
    "LabelledTables",
    "check_weight",
    "cluster_column",
    "divide",
    "part_unlabelled",
    "read_tables",
    "refuse_leaks",
    "require",
    "require_signals",
    "weight_unit",
    "with_signals",
]

_LEAST_WEIGHT, _MOST_WEIGHT = 1e-9, 1e12
"""Largest weight of a pool that counts as a number of rows."""

Strata = tuple[AttributeSpace | None, IntArray | None]
"""The space of the free signals' strata and the stratum of each row; None without signals."""


@dataclass(frozen=True, eq=False)
class LabelledTables:
    """The labelled rows and the pool, None if there are only labelled rows.

    Parameters
    ----------
    columns
        What their columns mean; text attributes are derived already.
    labelled, pool
        The tables, with a column for every signal.
    scores
        The score of each labelled row, unchecked.
    missing
        Labelled rows without an answer, None if that decides no score.
    redrawn
        The first of ``parts`` with other opinions of judges that scored only some rows.
    judged
        How many rows these judges scored; None if they scored all.
    """

    columns: Columns
    labelled: pl.DataFrame
    pool: pl.DataFrame | None
    scores: pl.Series
    missing: MissingAnswers | None = None
    redrawn: tuple[pl.DataFrame, ...] = ()
    judged: PartJudged | None = None

    @property
    def parts(self) -> list[pl.DataFrame]:
        """The tables whose rows make up a problem, the pool first."""
        return [self.labelled] if self.pool is None else [self.pool, self.labelled]


def read_tables(
    columns: Columns, rows: Rows, pool: Rows = None, *, has_all_labels: bool = False
) -> LabelledTables:
    """Return the tables, read and checked.

    Parameters
    ----------
    columns
        What the columns mean; texts are columns already (`study.read.texts`).
    rows, pool
        The tables; without a pool, all rows are the pool if some have no label.
    has_all_labels
        Whether every row must have its score.
    """
    others = [*columns.asked_for, *columns.names, *columns.evidence.values()]
    others += [c for c in (columns.y_pred, columns.weight) if c is not None]
    needed = [*columns.needed, *columns.from_label, *columns.scored_by]
    labelled = read_columns(rows, needed, others)
    everything = None
    if pool is not None:
        everything = read_columns(pool, columns.needed, others, what="pool")
    require(columns, labelled, everything, may_lack=not has_all_labels)
    check_weight(columns, everything)
    if columns.id is not None:
        require_unique(labelled.get_column(columns.id))
        if everything is not None:
            require_unique(everything.get_column(columns.id), what="pool")
    is_own = everything is None
    if not has_all_labels:
        labelled, everything = part_unlabelled(labelled, everything, columns.label)
    missing = columns.missing_answers(labelled)
    labelled = columns.answered(labelled)
    everything = None if everything is None else columns.answered(everything)
    scores = columns.scores(labelled)
    refuse_leaks(columns, labelled, scores)
    parts = [labelled] if everything is None else [everything, labelled]
    warn_of_outside(parts[0], labelled, columns.judges)
    partly = part_judges(columns, parts)
    *whole, labelled = with_signals(columns, parts)
    every = whole[0] if whole else None
    if not partly:
        return LabelledTables(columns, labelled, every, scores, missing)
    space = resolve_space(columns.attributes, *whole, labelled)
    filled = fill_opinions(columns, partly, labelled, every, scores, space, is_own=is_own)
    return LabelledTables(
        columns, filled.labelled, filled.pool, scores, missing, filled.redrawn, filled.judged
    )


def require(
    columns: Columns, rows: pl.DataFrame, pool: pl.DataFrame | None, *, may_lack: bool = False
) -> None:
    """Raise an error that names the first missing column of a table.

    With ``may_lack``, judges may have scored only some of the rows.
    """
    require_columns(rows, [*columns.needed, *columns.from_label, *columns.scored_by])
    require_signals(columns, rows, may_lack=may_lack)
    if pool is not None:
        require_columns(pool, columns.needed, what="pool")
        require_signals(columns, pool, "pool", may_lack=may_lack)


def require_signals(
    columns: Columns, table: pl.DataFrame, what: str = "rows", *, may_lack: bool = False
) -> None:
    """Raise an error that names the first missing column of a signal."""
    for name in columns.judges:
        check_judge(table, name, what, may_lack=may_lack)
    check_history(table, columns.history, what)
    is_compared = columns.referees or columns.answer_form
    compared = [columns.y_pred] if columns.y_pred and is_compared else []
    require_columns(table, [*columns.signals, *compared, *columns.referees], what=what)


def check_weight(columns: Columns, pool: pl.DataFrame | None) -> None:
    """Raise an error unless the pool's weights are positive numbers, if there are any."""
    weight = columns.weight
    if weight is None:
        return
    if pool is None or columns.hidden:
        without = "no pool" if pool is None else f"guessed attributes {list(columns.hidden)}"
        raise InputError(
            f"weight must go with a pool whose attributes are known; got {without}. Leave it out."
        )
    require_columns(pool, [weight], what="pool")
    column = pool.get_column(weight)
    if not column.dtype.is_numeric() or column.null_count():
        raise InputError(f"weight {weight!r} must hold a number in every row of the pool.")
    numbers = column.cast(pl.Float64).to_numpy()
    if not (np.isfinite(numbers).all() and (numbers > 0.0).all()):
        raise InputError(
            f"weight {weight!r} must be finite and more than 0; got {numbers.min()} to "
            f"{numbers.max()}. Drop rows of weight 0."
        )


def weight_unit(most: float) -> float:
    """Return the number that weights are divided by, given the largest: mostly one.

    Beside a row of a trillion no label counts, and beside labels no row of a billionth does: such
    weights matter by their ratios alone, and are brought into the range of numbers.
    """
    if _LEAST_WEIGHT <= most <= _MOST_WEIGHT:
        return 1.0
    return most / (_LEAST_WEIGHT if most < _LEAST_WEIGHT else _MOST_WEIGHT)


def part_unlabelled(
    rows: pl.DataFrame, pool: pl.DataFrame | None, label: str | None
) -> tuple[pl.DataFrame, pl.DataFrame | None]:
    """Return the rows with a label, and the pool; without one, all rows are the pool."""
    if label is None:
        return rows, pool
    missing = rows.get_column(label).is_null()
    if not missing.any():
        return rows, pool
    if missing.all():
        raise InputError(
            f"column {label!r} must have a value in some row; got {rows.height} rows without one."
        )
    return rows.filter(~missing), rows if pool is None else pool


def refuse_leaks(columns: Columns, labelled: pl.DataFrame, scores: pl.Series) -> None:
    """Raise an error if signals give the answer away."""
    known = [*columns.exact, *(name for name in columns.hidden if name in labelled.columns)]
    said = [columns.y_pred] if columns.y_pred and columns.answer_form else []
    signals = [*columns.opinions, *said]
    truth = columns.y_true
    refuse_leak(labelled, scores, known, signals, y_true=truth, y_pred=columns.y_pred)
    refuse_copies(labelled, scores, columns.judges, truth)
    refuse_own_scores(labelled, scores, columns.history)


def with_signals(columns: Columns, tables: Sequence[pl.DataFrame]) -> list[pl.DataFrame]:
    """Return tables in which every signal is a column; the first is the pool."""
    made = with_ordered_scores(tables, columns.judges)
    made = with_referees(made, columns.y_pred, columns.referees, columns.agreement)
    if columns.answer_form and columns.y_pred is not None:
        made = with_answer_form(made, columns.y_pred)
    made = with_history(made, columns.history)
    if columns.y_pred in columns.signals:
        return _with_silence(made, str(columns.y_pred))
    return made


def _with_silence(tables: Sequence[pl.DataFrame], y_pred: str) -> list[pl.DataFrame]:
    """Return tables in which numbers that are predictions and signals have a place for no answer.

    A few numbers are classes, and no answer is one more. Among many it is below the lowest.
    """
    said = [table.get_column(y_pred) for table in tables]
    if not said[0].dtype.is_numeric() or not any(is_missing(column).any() for column in said):
        return list(tables)
    known = pl.concat([c.cast(pl.Float64).fill_nan(None).drop_nulls() for c in said])
    if known.n_unique() <= FEW_NUMBERS:
        return [table.with_columns(normal_column(table.get_column(y_pred))) for table in tables]
    below = float(known.to_numpy().min()) - 1.0
    filled = pl.col(y_pred).cast(pl.Float64).fill_nan(None).fill_null(below)
    return [table.with_columns(filled) for table in tables]


def divide(
    tables: Sequence[pl.DataFrame],
    signals: Sequence[str],
    clusters: pl.Series | None = None,
    pool: pl.DataFrame | None = None,
) -> Strata:
    """Return the strata of free signals, and the stratum of each row of all tables.

    Cuts and classes come from ``pool``, by default the first table. ``clusters`` are those of all
    rows; every table has them as a column too.
    """
    strata = stratify(tables[0] if pool is None else pool, signals, clusters)
    if strata is None:
        return None, None
    return strata, np.concatenate([strata.arm_index(strata.encode(table)) for table in tables])


def cluster_column(cluster: str | None, *tables: pl.DataFrame) -> pl.Series | None:
    """Return the clusters of all rows of the tables, None without any."""
    if cluster is None:
        return None
    columns = [table.get_column(cluster) for table in tables]
    if len({column.dtype for column in columns}) > 1:
        columns = [normal_column(column) for column in columns]
    return pl.concat(columns)
