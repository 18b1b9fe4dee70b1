"""Rows that belong together count as one label."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.study.watch.clusters import Clusters, one_per_cluster

TALKS = pl.Series("talk", ["a", "a", "b", "b", "c", "a"])
SCORES = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
RANKS = np.arange(6)
SAME = np.zeros(6, dtype=np.int64)


def together(arms: np.ndarray, n_baseline: int, seed: int = 0) -> Clusters:
    rng = np.random.default_rng(seed)
    return one_per_cluster(TALKS, arms, SCORES, RANKS, n_baseline, rng)


def test_a_cluster_scores_the_mean_of_its_rows_once_it_is_whole() -> None:
    found = together(SAME, 2)
    assert found.score.tolist() == [0.5, 1.0, 0.0]
    assert found.last.tolist() == [1, 3, 4]
    assert (found.n_baseline, found.n_rows, found.n_late) == (1, 6, 1)
    assert "1 rows after the baseline" in str(found)


def test_the_arm_of_a_cluster_is_drawn_by_the_shares_of_its_rows() -> None:
    arms = np.array([0, 1, 0, 1, 0, 0])
    drawn = [together(arms, 2, seed) for seed in range(200)]
    counts_in_second = np.mean([arms[found.row[0]] == 1 for found in drawn])
    assert abs(counts_in_second - 0.5) < 3 * 0.5 / np.sqrt(200)
    for found in drawn:
        assert found.score[0] == SCORES[found.row[0]]


def test_clusters_that_all_began_in_the_baseline_leave_nothing_to_watch() -> None:
    with pytest.raises(InputError, match="must begin after the baseline"):
        together(SAME, 5)
