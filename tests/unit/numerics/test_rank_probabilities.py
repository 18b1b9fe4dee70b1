"""Probabilities of ranks: from the pairs alone, and never more certain than they are."""

import numpy as np
import pytest
from scipy.special import ndtr

from accuracy_assay.numerics.rank_probabilities import rank_probabilities
from accuracy_assay.runtime.arrays import FloatArray


def pairs_of(means: list[float], covariance: FloatArray) -> tuple[FloatArray, ...]:
    """Return what pairs of jointly normal services look like, (1, k, k) each."""
    m = np.asarray(means)
    mean = m[:, None] - m
    spread = np.diag(covariance)
    sd = np.sqrt(spread[:, None] + spread - 2.0 * covariance)
    better = ndtr(mean / np.where(sd > 0.0, sd, 1.0))
    np.fill_diagonal(better, 0.5)
    return mean[None], sd[None], better[None]


def test_the_ranks_of_normal_services_are_theirs(rng: np.random.Generator) -> None:
    root = np.array([[0.05, 0.0, 0.0], [0.04, 0.02, 0.0], [0.01, 0.02, 0.03]])
    means = [0.9, 0.91, 0.88]
    found = rank_probabilities(*pairs_of(means, root @ root.T), rng)[0]
    e = np.asarray(means) + rng.standard_normal((100_000, 3)) @ root.T
    place = np.argsort(np.argsort(-e, axis=1), axis=1)
    truth = (place[:, :, None] == np.arange(3)).mean(axis=0)
    # The standard error of a share of 4,000 draws is 0.008.
    assert found == pytest.approx(truth, abs=0.03)


def test_each_service_has_one_rank_and_each_rank_one_service(rng: np.random.Generator) -> None:
    covariance = np.diag([0.01, 0.02, 0.03, 0.01])
    found = rank_probabilities(*pairs_of([0.5, 0.6, 0.7, 0.4], covariance), rng)[0]
    assert found.sum(axis=0) == pytest.approx(1.0)
    assert found.sum(axis=1) == pytest.approx(1.0)


def test_of_two_services_the_pair_says_it_all(rng: np.random.Generator) -> None:
    better = np.array([[[0.5, 0.83], [0.17, 0.5]]])
    found = rank_probabilities(0.0 * better, 0.0 * better + 0.1, better, rng)
    assert found[0] == pytest.approx(np.array([[0.83, 0.17], [0.17, 0.83]]))


def test_what_is_certain_is_certain(rng: np.random.Generator) -> None:
    found = rank_probabilities(*pairs_of([0.3, 0.2, 0.1], np.zeros((3, 3))), rng)
    assert found[0].tolist() == np.eye(3).tolist()


def test_services_that_are_the_same_share_ranks(rng: np.random.Generator) -> None:
    found = rank_probabilities(*pairs_of([0.3, 0.3, 0.3], np.zeros((3, 3))), rng)
    assert found[0] == pytest.approx(1.0 / 3.0, abs=0.04)


def test_pairs_that_contradict_each_other_still_have_ranks(rng: np.random.Generator) -> None:
    # a is certain to equal b and b to equal c, yet a differs from c: no joint variable does that.
    sd = np.array([[[0.0, 0.0, 0.3], [0.0, 0.0, 0.0], [0.3, 0.0, 0.0]]])
    found = rank_probabilities(0.0 * sd, sd, 0.0 * sd + 0.5, rng)
    assert np.isfinite(found).all()
    assert found.sum(axis=1) == pytest.approx(1.0)
