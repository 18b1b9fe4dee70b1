"""``one_per_cluster``: rows that belong together as one label, so that labels are independent.

A cluster is drawn whole, and the mean of its rows is one score in [0, 1], which is all that a
bet takes. What is watched is then the mean over clusters, each weighted equally. A cluster with
rows in several arms counts in one of them, drawn with the shares of its rows: so the score that a
slice sees has the mean of the cluster's rows there, whatever the slice. No draw looks at a score.

A cluster belongs to the time when it began. Rows after the baseline of a cluster that began in it
are left out: they would tell the baseline's luck again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from accuracy_assay.domain.strata import clusters_of
from accuracy_assay.errors import InputError
from accuracy_assay.runtime.arrays import FloatArray, IntArray

__all__ = ["Clusters", "one_per_cluster"]


@dataclass(frozen=True, eq=False)
class Clusters:
    """Labelled rows put together, C clusters.

    Parameters
    ----------
    name
        The column.
    row
        A row that stands for each cluster, (C,): one of the arm that was drawn.
    last
        Its last row, (C,): it counts once it is whole.
    score
        Mean score of its rows of that arm, (C,).
    n_baseline
        Clusters of the baseline.
    n_rows
        How many rows there were.
    n_late
        Rows that came after the baseline, of clusters that began in it.
    """

    name: str
    row: IntArray
    last: IntArray
    score: FloatArray
    n_baseline: int
    n_rows: int
    n_late: int

    def __str__(self) -> str:
        late = (
            f"{self.n_late:,} rows after the baseline belong to clusters that began in it; "
            "they are not counted."
        )
        return (
            f"Each {self.name!r} counts as one label, the mean of its rows: {self.row.size:,} of "
            f"{self.n_rows:,} rows.{f' {late}' * (self.n_late > 0)}"
        )


def one_per_cluster(
    column: pl.Series,
    arms: IntArray,
    scores: FloatArray,
    ranks: IntArray,
    n_baseline: int,
    rng: np.random.Generator,
) -> Clusters:
    """Return one label per cluster.

    Parameters
    ----------
    column
        The cluster of each row, (N,).
    arms, scores, ranks
        The arm, score and time of each row, (N,).
    n_baseline
        How many rows belong to the baseline.
    rng
        Draws the arm of a cluster with several.

    Raises
    ------
    InputError
        If a row has no cluster, all have the same, or none began after the baseline.
    """
    attribute = clusters_of(column)
    cluster = attribute.encode(column)
    end = np.sort(ranks)[n_baseline - 1]
    began = np.full(attribute.size, np.iinfo(np.int64).max)
    np.minimum.at(began, cluster, ranks)
    is_old = began <= end
    is_late = is_old[cluster] & (ranks > end)
    kept = np.flatnonzero(~is_late)
    drawn = rng.permutation(kept)
    _, first = np.unique(cluster[drawn], return_index=True)
    row = drawn[first]  # one of its rows, each as likely: its arm is drawn with their shares
    in_time = kept[np.argsort(ranks[kept], kind="stable")]
    last = np.zeros(attribute.size, np.int64)
    last[cluster[in_time]] = in_time
    is_of_arm = kept[arms[kept] == arms[row][cluster[kept]]]
    total, count = (
        np.bincount(cluster[is_of_arm], weights, attribute.size)
        for weights in (scores[is_of_arm], None)
    )
    if is_old.all():
        raise InputError(
            f"cluster {column.name!r} must begin after the baseline in some rows; got "
            f"{attribute.size:,} that all began in it. Its later rows are like its earlier ones "
            "and prove little: leave it out if rows are independent nevertheless."
        )
    score = np.clip(total / count, 0.0, 1.0)
    return Clusters(
        column.name, row, last, score, int(is_old.sum()), column.len(), int(is_late.sum())
    )
