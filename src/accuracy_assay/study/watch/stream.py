"""``read_stream``: labelled rows in the order of time, the baseline first.

Rows of the same time are put in a random order: the order of a file may follow the truth.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import check_scores
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.missing_answers import MissingAnswers
from accuracy_assay.domain.space import AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.files.tables import Rows, read_columns, require_columns
from accuracy_assay.runtime.arrays import FloatArray, IntArray
from accuracy_assay.study.read.annotations import settle_answers
from accuracy_assay.study.read.spaces import resolve_space
from accuracy_assay.study.read.tables import (
    part_unlabelled,
    refuse_leaks,
    require,
    with_signals,
)
from accuracy_assay.study.read.texts import derive_values

__all__ = ["Stream", "read_stream"]

_BASELINE = 3
"""Without a baseline, the first third of the labels is one: the error of a difference is least
where both sides have as many, and what comes later is to grow."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class FreeRows(NamedTuple):
    """Every row, labelled or not, with a column for each free signal, in the order of time.

    ``labelled`` are the labelled rows in the order of the stream, ``n_baseline`` how many of all
    rows belong to the time of the baseline.
    """

    every: pl.DataFrame
    labelled: pl.DataFrame
    signals: tuple[str, ...]
    n_baseline: int


@dataclass(frozen=True, eq=False)
class Stream:
    """Labels in the order of time.

    Parameters
    ----------
    space
        The attributes.
    codes, scores
        Codes of each label's attributes, (N, K), and its score, (N,).
    times
        The time of each, as the table has it.
    n_baseline
        How many belong to the baseline.
    missing
        Labelled rows without an answer, None if that decides no score.
    free
        What is known of every row without a label, None if there is nothing.
    """

    space: AttributeSpace
    codes: IntArray
    scores: FloatArray
    times: pl.Series
    n_baseline: int
    missing: MissingAnswers | None = None
    free: FreeRows | None = None

    @property
    def n_later(self) -> int:
        """How many labels came after the baseline."""
        return self.scores.size - self.n_baseline


def read_stream(
    columns: Columns, rows: Rows, time: str, baseline: object, seed: int = 0, pool: Rows = None
) -> Stream:
    """Return the labels of a table in the order of time.

    Parameters
    ----------
    columns
        What the columns mean; every attribute must be known.
    rows
        Labelled rows.
    time
        The column that orders them: dates, numbers or texts, whose digits count as numbers.
    baseline
        The last time of the baseline; None for the first third of the labels.
    seed
        Orders rows of the same time.
    pool
        Every row, with its time; None if ``rows`` are all.

    Raises
    ------
    InputError
        If a time is missing, or the baseline has all labels or none.
    """
    if columns.hidden:
        raise InputError(
            "attributes must be known for every row that is watched; got guessed ones, "
            f"{list(columns.hidden)}. Leave them out of the attributes."
        )
    if columns.cluster is not None:
        raise InputError(
            f"cluster must be left out of a watch; got {columns.cluster!r}. Its labels count as "
            "independent: give one row per cluster, such as the mean of its scores."
        )
    columns, rows, pool, _ = settle_answers(columns, rows, pool)
    columns, rows, pool = derive_values(columns, rows, pool)
    others = [*columns.asked_for, *([columns.y_pred] if columns.y_pred else [])]
    table = read_columns(rows, [*columns.needed, *columns.scored_by, time], others)
    require_columns(table, [*columns.needed, *columns.scored_by, time])
    every = None
    if pool is not None:
        every = read_columns(pool, [*columns.needed, time], others, what="pool")
    require(columns, table, every)
    if every is not None:
        require_columns(every, [time], what="pool")
    if time in (*columns.names, *columns.scored_by):
        raise InputError(
            f"time must be a column of its own; got {time!r}, which has another role."
        )
    space = resolve_space(columns.attributes, table, *([] if every is None else [every]))
    labelled, every = part_unlabelled(table, every, columns.label)
    missing = columns.missing_answers(labelled)
    labelled = columns.answered(labelled)
    scores = columns.scores(labelled)
    refuse_leaks(columns, labelled, scores)
    times = labelled.get_column(time)
    rank = _ranks(times)
    order = np.lexsort((np.random.default_rng(seed).random(rank.size), rank))
    n_baseline = _n_baseline(times, rank[order], rank, baseline)
    free = None
    if every is not None or columns.asked_for:
        whole = columns.answered(labelled if every is None else every)
        free = _free_rows(columns, whole, labelled[order], time, n_baseline)
    return Stream(
        space,
        space.encode(labelled)[order],
        check_scores(scores.to_numpy())[order],
        times[order],
        n_baseline,
        missing,
        free,
    )


def _free_rows(
    columns: Columns, every: pl.DataFrame, labelled: pl.DataFrame, time: str, n_baseline: int
) -> FreeRows:
    """Return what is known of every row; labels in the order of the stream."""
    made, seen = with_signals(columns, [every, labelled])
    times = pl.concat([made.select(time), seen.select(time)], how="vertical_relaxed")
    rank = _ranks(times.to_series())
    own, last = rank[: made.height], int(rank[made.height + n_baseline - 1])
    return FreeRows(
        made[np.argsort(own, kind="stable")],
        seen,
        columns.signal_columns,
        int((own <= last).sum()),
    )


def _ranks(times: pl.Series) -> IntArray:
    """Return the place of each time in their order, (N,)."""
    if times.null_count() or (times.dtype.is_float() and not times.is_finite().all()):
        raise InputError(
            f"time {times.name!r} must have a value in every labelled row; got "
            f"{times.null_count() or int((~times.is_finite()).sum()):,} without one. Drop them."
        )
    if not (times.dtype.is_numeric() or times.dtype.is_temporal()):
        values = sorted(times.cast(pl.String).unique().to_list(), key=_natural)
        ranks = times.cast(pl.String).replace_strict(values, list(range(len(values))))
        return np.asarray(ranks.to_numpy(), np.int64)
    return np.asarray(times.rank("dense").to_numpy(), np.int64)


def _natural(text: str) -> list[tuple[bool, int, str]]:
    """Return a key by which v9 stands before v10."""
    parts = re.split(r"(\d+)", text)
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts if part]


def _n_baseline(times: pl.Series, ordered: IntArray, rank: IntArray, baseline: object) -> int:
    """Return how many labels belong to the baseline; labels of one time stay together."""
    if baseline is None:
        third = max(rank.size // _BASELINE, 1)
        n = int(np.searchsorted(ordered, ordered[third - 1], side="right"))
        if n == rank.size:
            n = int(np.searchsorted(ordered, ordered[-1], side="left"))
    else:
        n = int(_is_up_to(times, baseline).sum())
    if not 0 < n < rank.size:
        raise InputError(
            f"baseline must leave labels on both sides of it; got {baseline!r}, and {n:,} of "
            f"{rank.size:,} labels are up to it. Times go from {times[int(rank.argmin())]} to "
            f"{times[int(rank.argmax())]}."
        )
    return n


def _is_up_to(times: pl.Series, baseline: object) -> pl.Series:
    if not (times.dtype.is_numeric() or times.dtype.is_temporal()):
        last = _natural(str(baseline))
        known = times.cast(pl.String).unique()
        early = [text for text in known.to_list() if _natural(text) <= last]
        return times.cast(pl.String).is_in(early)
    try:
        if not times.dtype.is_temporal():
            return times.cast(pl.Float64) <= float(str(baseline))
        text = str(baseline).strip()
        local = times.dt.replace_time_zone(None) if times.dtype == pl.Datetime else times
        if _DAY.fullmatch(text):  # all of it
            return local.dt.date() <= date.fromisoformat(text)
        return local.cast(pl.Datetime("us")) <= datetime.fromisoformat(text).replace(tzinfo=None)
    except (pl.exceptions.PolarsError, ValueError, TypeError):
        raise InputError(
            f"baseline must be a value of {times.name!r} such as {times[0]}; got {baseline!r}."
        ) from None
