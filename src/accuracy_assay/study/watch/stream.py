"""``read_stream``: labelled rows in the order of time, the baseline first.

Rows of the same time are put in a random order: the order of a file may follow the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl

from accuracy_assay.domain.agreement import check_scores
from accuracy_assay.domain.columns import Columns
from accuracy_assay.domain.label_trust import LabelTrust
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
from accuracy_assay.study.watch.clusters import Clusters, one_per_cluster
from accuracy_assay.study.watch.times import Times, has_time

__all__ = ["Stream", "read_stream"]

_BASELINE = 1.0 / 3.0
"""Without a baseline, the first third of the labels is one: the error of a difference is least
where both sides have as many, and what comes later is to grow."""


class FreeRows(NamedTuple):
    """Every row, labelled or not, with a column for each free signal, in the order of time.

    ``labelled`` are the labelled rows in the order of the stream, ``n_baseline`` how many of all
    rows belong to the time of the baseline, ``earlier`` how many labels are of an earlier time
    than each row.
    """

    every: pl.DataFrame
    labelled: pl.DataFrame
    signals: tuple[str, ...]
    n_baseline: int
    earlier: IntArray


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
    n_untimed
        Labels that were left out because they have no time.
    trust
        What is known of annotators' answers, None without any.
    clusters
        How rows were put together where they belong to clusters, None if they do not.
    versions
        The version of the service that gave each answer, as text; None if they are not known.
    """

    space: AttributeSpace
    codes: IntArray
    scores: FloatArray
    times: pl.Series
    n_baseline: int
    missing: MissingAnswers | None = None
    free: FreeRows | None = None
    n_untimed: int = 0
    trust: LabelTrust | None = None
    clusters: Clusters | None = None
    versions: pl.Series | None = None

    @cached_property
    def began(self) -> tuple[tuple[str, int], ...]:
        """Each version, and the number of its first label, the first first."""
        if self.versions is None:
            return ()
        firsts = self.versions.to_frame("version").with_row_index("at").group_by("version")
        return tuple(firsts.agg(pl.col("at").min()).sort("at").iter_rows())

    @property
    def n_later(self) -> int:
        """How many labels came after the baseline."""
        return self.scores.size - self.n_baseline


def read_stream(
    columns: Columns,
    rows: Rows,
    time: str,
    baseline: object,
    seed: int = 0,
    pool: Rows = None,
    version: str | None = None,
) -> Stream:
    """Return the labels of a table in the order of time.

    Parameters
    ----------
    columns
        What the columns mean; every attribute must be known.
    rows
        Labelled rows.
    time
        The column that orders them, as `Times` reads it. Rows without a time are left out.
    baseline
        The last time of the baseline, or a share of the labels such as ``"30%"``; None for the
        first third of them.
    seed
        Orders rows of the same time.
    pool
        Every row, with its time; None if ``rows`` are all.
    version
        The column that says which version of the service answered; None if it is not known.

    Raises
    ------
    InputError
        If no row has a time, or the baseline has all labels or none.
    """
    if columns.hidden:
        raise InputError(
            "attributes must be known for every row that is watched; got guessed ones, "
            f"{list(columns.hidden)}. Leave them out of the attributes."
        )
    columns, rows, pool, trust, _ = settle_answers(columns, rows, pool)
    columns, rows, pool = derive_values(columns, rows, pool)
    others = [*columns.asked_for, *([columns.y_pred] if columns.y_pred else [])]
    needed = [*columns.needed, *columns.scored_by, time, *([version] if version else [])]
    table = read_columns(rows, needed, others)
    require_columns(table, needed)
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
    n_untimed = labelled.height
    labelled = _with_times(labelled, time)
    if not labelled.height:
        raise InputError(
            f"time {time!r} must have a value in some labelled row; got {n_untimed:,} without one."
        )
    n_untimed -= labelled.height
    made = columns.scores(labelled)
    refuse_leaks(columns, labelled, made)
    scores = check_scores(made.to_numpy())
    times = Times.of(labelled.get_column(time))
    n_baseline = _n_baseline(times, baseline)
    clusters = None
    if columns.cluster is not None:
        clusters = one_per_cluster(
            labelled.get_column(columns.cluster),
            space.arm_index(space.encode(labelled)),
            scores,
            times.ranks,
            n_baseline,
            np.random.default_rng([seed, 2]),
        )
        labelled, scores = labelled[clusters.row], clusters.score
        labelled = labelled.with_columns(times.shown[clusters.last])
        times, n_baseline = times.take(clusters.last), clusters.n_baseline
    order = np.lexsort((np.random.default_rng(seed).random(labelled.height), times.ranks))
    versions = labelled.get_column(version).cast(pl.String)[order] if version else None
    if versions is not None:  # a gap is of the version before it
        versions = versions.forward_fill().backward_fill().fill_null("unknown")
    free = None
    if every is not None or columns.asked_for:
        whole = columns.answered(labelled if every is None else _with_times(every, time))
        free = _free_rows(columns, whole, labelled[order], time, n_baseline)
    return Stream(
        space,
        space.encode(labelled)[order],
        scores[order],
        times.shown[order],
        n_baseline,
        missing,
        free,
        n_untimed=n_untimed,
        trust=trust,
        clusters=clusters,
        versions=versions,
    )


def _free_rows(
    columns: Columns, every: pl.DataFrame, labelled: pl.DataFrame, time: str, n_baseline: int
) -> FreeRows:
    """Return what is known of every row; labels in the order of the stream."""
    made, seen = with_signals(columns, [every, labelled])
    times = pl.concat([made.select(time), seen.select(time)], how="vertical_relaxed")
    rank = Times.of(times.to_series()).ranks
    own, of_labels = rank[: made.height], rank[made.height :]
    order = np.argsort(own, kind="stable")
    return FreeRows(
        made[order],
        seen,
        columns.signal_columns,
        int((own <= of_labels[n_baseline - 1]).sum()),
        np.searchsorted(of_labels, own[order]),
    )


def _with_times(table: pl.DataFrame, time: str) -> pl.DataFrame:
    """Return the rows that have a time."""
    return table.filter(pl.Series(has_time(table.get_column(time))))


def _n_baseline(times: Times, baseline: object) -> int:
    """Return how many labels belong to the baseline; labels of one time stay together."""
    rank = times.ranks
    share = _share(baseline)
    if share is None:
        n = int(times.up_to(baseline).sum())
    else:
        ordered = np.sort(rank)
        last = ordered[max(int(rank.size * share), 1) - 1]
        n = int(np.searchsorted(ordered, last, side="right"))
        if n == rank.size:
            n = int(np.searchsorted(ordered, last, side="left"))
    shown, first, last = times.shown, int(rank.argmin()), int(rank.argmax())
    if rank[first] == rank[last]:
        raise InputError(
            f"time {shown.name!r} must have two different values or more; got {shown[first]} in "
            f"every labelled row. What came before it is needed to tell what changed."
        )
    if not 0 < n < rank.size:
        raise InputError(
            f"baseline must leave labels on both sides of it; got {baseline!r}, and {n:,} of "
            f"{rank.size:,} labels are up to it. Times go from {shown[first]} to {shown[last]}."
        )
    return n


def _share(baseline: object) -> float | None:
    """Return the share of the labels that a baseline is to hold; None if it is a time."""
    if baseline is None:
        return _BASELINE
    text = str(baseline).strip()
    if not text.endswith("%"):
        return None
    try:
        share = float(text[:-1]) / 100.0
    except ValueError:
        return None
    if not 0.0 < share < 1.0:
        raise InputError(f"baseline must be a share between 0% and 100%; got {baseline!r}.")
    return share
