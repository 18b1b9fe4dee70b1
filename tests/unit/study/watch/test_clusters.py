"""Rows that belong together are one label, whose draw looks at no score."""

import numpy as np
import polars as pl
import pytest

from accuracy_assay.errors import InputError
from accuracy_assay.study.watch.clusters import Clusters, one_per_cluster

N_CLUSTERS, SIZE = 40, 5
CLUSTER = pl.Series("talk", [f"talk {i // SIZE:02}" for i in range(N_CLUSTERS * SIZE)])
RANKS = np.arange(CLUSTER.len())
HALF = CLUSTER.len() // 2


def put_together(arms: np.ndarray, scores: np.ndarray, seed: int = 0) -> Clusters:
    rng = np.random.default_rng(seed)
    return one_per_cluster(CLUSTER, arms, scores, RANKS, HALF, rng)


def test_a_cluster_of_one_arm_has_the_mean_of_its_rows_and_counts_once_it_is_whole() -> None:
    scores = np.random.default_rng(1).random(CLUSTER.len())
    found = put_together(np.zeros(CLUSTER.len(), int), scores)
    np.testing.assert_allclose(found.score, scores.reshape(N_CLUSTERS, SIZE).mean(1))
    np.testing.assert_array_equal(found.last, np.arange(N_CLUSTERS) * SIZE + SIZE - 1)
    assert (found.n_baseline, found.n_rows, found.n_late) == (N_CLUSTERS // 2, 200, 0)


def test_arms_are_drawn_with_the_shares_of_rows_whatever_the_scores() -> None:
    arms = np.tile([0, 0, 0, 0, 1], N_CLUSTERS)
    draws = [put_together(arms, 1.0 * (arms == 1), seed) for seed in range(50)]
    share = np.mean([arms[found.row].mean() for found in draws])
    assert share == pytest.approx(1 / SIZE, abs=4 * np.sqrt(0.16 / (50 * N_CLUSTERS)))
    other = put_together(arms, np.zeros(CLUSTER.len()), 0)
    np.testing.assert_array_equal(draws[0].row, other.row)
    np.testing.assert_array_equal(draws[0].score, arms[draws[0].row])


def test_rows_after_the_baseline_of_a_cluster_that_began_in_it_count_not() -> None:
    ranks = RANKS.copy()
    ranks[4] = CLUSTER.len()
    scores = np.zeros(CLUSTER.len())
    scores[4] = 1.0
    arms, rng = np.zeros(CLUSTER.len(), int), np.random.default_rng(0)
    found = one_per_cluster(CLUSTER, arms, scores, ranks, HALF - 1, rng)
    assert (found.n_late, found.score[0], found.last[0]) == (1, 0.0, 3)
    assert "1 rows after the baseline" in str(found)


def test_clusters_that_all_began_in_the_baseline_are_refused() -> None:
    arms, rng = np.zeros(CLUSTER.len(), int), np.random.default_rng(0)
    talks = pl.Series("talk", RANKS % N_CLUSTERS)
    with pytest.raises(InputError, match="in some rows; got 40 that all"):
        one_per_cluster(talks, arms, 1.0 * arms, RANKS, HALF, rng)
