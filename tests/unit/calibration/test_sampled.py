"""Sampled partitions against exact ones, on a space small enough to know both."""

import numpy as np
import pytest

from accuracy_assay.calibration.fitted import FittedCalibration
from accuracy_assay.calibration.potential import Potential
from accuracy_assay.calibration.report import CalibrationReport
from accuracy_assay.calibration.sampled import (
    effective_samples,
    sample_combinations,
    sample_partition,
    top_sampled,
)
from accuracy_assay.domain.evidence import Evidence
from accuracy_assay.numerics.joint.block_prior import Block
from accuracy_assay.numerics.joint.potential import evaluate, one_hot
from accuracy_assay.numerics.joint.sparse_rows import expand_rows

SHAPE = (2,) * 8


@pytest.fixture
def potential(rng) -> Potential:
    """Four blocks of two attributes and a network on top."""
    blocks = tuple(Block((k, k + 1), rng.normal(0, 0.5, (2, 2))) for k in range(0, 8, 2))
    w1, w2 = rng.normal(0, 0.6, (16, 6)), rng.normal(0, 0.6, (6, 6))
    return Potential(blocks, (w1, rng.normal(size=6), w2, rng.normal(size=6), rng.normal(size=6)))


@pytest.fixture
def factors(rng) -> list[np.ndarray]:
    return [rng.uniform(0.1, 1.0, (40, 2)) for _ in SHAPE]


def brute_force(potential: Potential, factors: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Unnormalised P (40, 256) with the network and without."""
    codes = np.stack(np.unravel_index(np.arange(256), SHAPE), axis=1)
    apart = expand_rows(factors)
    for block in potential.blocks:
        apart = apart * np.exp(block.table[tuple(codes[:, list(block.attributes)].T)])
    return apart * np.exp(evaluate(potential.network, one_hot(codes, SHAPE))), apart


def test_sampled_partition_agrees_within_its_standard_error(potential, factors, rng) -> None:
    both, apart = brute_force(potential, factors)
    exact = np.log(both.sum(axis=1) / apart.sum(axis=1))
    found = sample_partition(potential, factors, SHAPE, 4_000, rng)
    z_score = (found.log_z - exact) / found.standard_error
    # 40 independent scores: none beyond 4, and their mean square near one.
    assert np.abs(z_score).max() < 4.0
    assert 0.5 < np.mean(z_score**2) < 1.7
    assert np.all((found.effective_samples > 1.0) & (found.effective_samples <= 4_000.0))


def test_combinations_are_drawn_as_often_as_they_are_probable(rng) -> None:
    posteriors = [rng.dirichlet(np.ones(4), 3), rng.dirichlet(np.ones(2), 3)]
    drawn = sample_combinations(posteriors, 20_000, rng)
    assert drawn.shape == (3, 20_000, 2)
    for b, table in enumerate(posteriors):
        for row in range(3):
            share = np.bincount(drawn[row, :, b], minlength=table.shape[1]) / 20_000
            # Four standard errors of a share.
            assert (np.abs(share - table[row]) < 4.0 * 0.5 / np.sqrt(20_000)).all()


def test_effective_samples_are_all_of_them_where_the_network_is_flat(potential, factors) -> None:
    w1, b1, w2, b2, w3 = potential.network
    flat = Potential(potential.blocks, (w1, b1, w2, b2, 0.0 * w3))
    found = sample_partition(flat, factors, SHAPE, 100)
    np.testing.assert_allclose(found.effective_samples, 100.0)
    np.testing.assert_allclose(found.log_z, 0.0, atol=1e-12)


@pytest.mark.parametrize("n_equal", [1, 3, 50])
def test_equal_weights_among_zeros_count_as_many_as_they_are(n_equal) -> None:
    w = np.zeros((1, 50))
    w[0, :n_equal] = 0.7
    assert effective_samples(w)[0] == pytest.approx(n_equal)


def test_effective_samples_are_what_the_variance_of_a_weighted_mean_says(rng) -> None:
    w = rng.lognormal(sigma=1.0, size=(3, 40))
    values = rng.normal(size=(20_000, 3, 40))
    means = (w * values).sum(axis=2) / w.sum(axis=1)
    # A variance from 20,000 normal values has a relative standard error of 1 %.
    np.testing.assert_allclose(means.var(axis=0), 1.0 / effective_samples(w), rtol=0.04)


def test_the_share_of_effective_samples_is_that_of_the_moments_of_all_arms(
    potential, factors, rng
) -> None:
    both, apart = brute_force(potential, factors)
    q = apart / apart.sum(axis=1, keepdims=True)
    w = both / apart
    expected = (q * w).sum(axis=1) ** 2 / (q * w**2).sum(axis=1)
    found = sample_partition(potential, factors, SHAPE, 20_000, rng)
    np.testing.assert_allclose(found.effective_samples / 20_000, expected, rtol=0.1)
    assert expected.min() < 0.8  # the network does weigh arms differently


def test_effective_samples_foretell_the_spread_of_repeated_partitions(
    potential, factors, rng
) -> None:
    n, rows = 64, [factor[:10] for factor in factors]
    runs = [sample_partition(potential, rows, SHAPE, n, rng) for _ in range(1_000)]
    z = np.exp([run.log_z for run in runs])
    spread = (z.std(axis=0) / z.mean(axis=0)) ** 2
    effective = np.mean([run.effective_samples for run in runs], axis=0)
    # The spread of 1,000 runs is known to 5 % or so, more where few heavy arms make it up; 64
    # draws, which may miss those, see a little less of it.
    np.testing.assert_allclose((n / effective - 1.0) / n, spread, rtol=0.25)


def test_listed_arms_hold_the_mass_that_they_claim(potential, factors, make_binary_space) -> None:
    both, _ = brute_force(potential, factors)
    true = both / both.sum(axis=1, keepdims=True)
    owner, arms, weights = top_sampled(potential, factors, make_binary_space(8), 0.05)
    held = np.bincount(owner, true[owner, arms], minlength=40)
    # The mass left out is estimated from 512 samples, so a row may miss by a standard error.
    assert held.min() > 1.0 - 0.05 - 3.0 * np.sqrt(0.05 / 512)
    np.testing.assert_allclose(weights, true[owner, arms], rtol=0.1)


def test_log_probability_with_a_network_is_near_the_exact_one(
    potential, make_binary_space, rng
) -> None:
    space = make_binary_space(8)
    p = rng.uniform(0.1, 0.9, (40, 8))
    evidence = Evidence(space, tuple(np.stack([1 - p[:, k], p[:, k]], 1) for k in range(8)))
    report = CalibrationReport("full", 0, 0)
    fitted = FittedCalibration(space, "full", np.ones(8), potential, report)
    both, _ = brute_force(potential, list(evidence.columns))
    gold = rng.integers(0, 2, (40, 8))
    exact = np.log(both[np.arange(40), space.arm_index(gold)] / both.sum(axis=1))
    np.testing.assert_allclose(fitted.log_probability(evidence, gold), exact, atol=0.25)
