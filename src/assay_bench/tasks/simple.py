"""``simple``: the ten arms on a line of the paper's appendix, as a task.

The arms 1 to 10 have the appendix's accuracies, and their shares of the pool are those of its
labels: six arms are twenty times rarer than the four in the middle. Scores are evened out, so that
the gold of every arm is its accuracy to within half a row.
"""

import numpy as np
import polars as pl

from accuracy_assay.tasks.task import Task

__all__ = ["simple"]

ACCURACY = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.6, 0.4, 0.3, 0.2)
SHARES = (1, 1, 1, 20, 20, 20, 20, 1, 1, 1)
"""Accuracy and labels of the arms 1 to 10 in the paper's appendix."""


def simple(rows_per_share: int = 100, seed: int = 0) -> Task:
    """Return the task.

    Parameters
    ----------
    rows_per_share : int
        Rows of a rare arm; a common one has twenty times as many. A hundred give every arm its
        accuracy exactly.
    seed : int
        Seed of the order of the rows.

    Examples
    --------
    >>> simple().gold()["truth"].to_list()
    [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.6, 0.4, 0.3, 0.2]
    """
    size = rows_per_share * np.asarray(SHARES)
    position = np.repeat(np.arange(1, len(SHARES) + 1), size)
    score = np.concatenate(
        [np.arange(n) < round(p * n) for n, p in zip(size, ACCURACY, strict=True)]
    )
    order = np.random.default_rng(seed).permutation(position.size)
    rows = pl.DataFrame(
        {
            "id": np.arange(position.size),
            "position": position[order],
            "correct": score[order].astype(np.int64),
        }
    )
    return Task(
        name="simple",
        description="Ten arms on a line, six of them rare, with known accuracies.",
        rows=rows,
        attributes=("position",),
        kinds={"position": "ordinal"},
    )
