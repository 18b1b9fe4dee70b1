"""What is each service's own: against the dense closed form, and laws."""

import numpy as np
import pytest

from accuracy_assay.numerics.own_effects import (
    OwnEffects,
    design_effect,
    fit_own_effects,
    fit_slopes,
)

CODES = np.array([(a, b) for a in range(4) for b in range(3)])


@pytest.fixture
def fitted(rng: np.random.Generator) -> tuple[OwnEffects, np.ndarray, np.ndarray]:
    arm = rng.integers(0, 11, 90)  # the last arm has no label
    rest = rng.normal(0.0, 0.4, (90, 3)) + 0.2 * rng.standard_normal((12, 3))[arm]
    return fit_own_effects(CODES, arm, rest), arm, rest


def dense(effects: OwnEffects, arm: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return mean (A, k) and covariance (A, A), in units of sigma^2, by dense algebra."""
    variance = np.exp(effects.theta)
    same = [CODES[:, None, j] == CODES[None, :, j] for j in range(2)]
    prior = 16.0 + variance[0] * same[0] + variance[1] * same[1] + variance[2] * np.eye(12)
    noisy = prior[np.ix_(arm, arm)] + np.eye(arm.size)
    gain = np.linalg.solve(noisy, prior[arm]).T
    return gain @ rest, prior - gain @ prior[arm]


def test_the_posterior_is_that_of_the_dense_closed_form(
    fitted: tuple[OwnEffects, np.ndarray, np.ndarray],
) -> None:
    effects, arm, rest = fitted
    mean, covariance = dense(effects, arm, rest)
    assert effects.mean == pytest.approx(mean, abs=1e-8)
    weight = np.vstack([np.eye(12), np.full((1, 12), 1.0 / 12.0)])
    expected = np.einsum("qa,ab,qb->q", weight, covariance, weight)
    assert effects.variance(weight) == pytest.approx(expected, abs=1e-8)


def test_covariances_between_arms_are_those_of_the_dense_closed_form(
    fitted: tuple[OwnEffects, np.ndarray, np.ndarray],
) -> None:
    effects, arm, rest = fitted
    _, covariance = dense(effects, arm, rest)
    some, others = np.array([0, 3, 11]), np.array([3, 5, 11])
    assert effects.between(some, others) == pytest.approx(
        covariance[np.ix_(some, others)], abs=1e-8
    )
    assert effects.spread(others) == pytest.approx(np.diag(covariance)[others], abs=1e-8)


def test_draws_have_the_variances_of_the_posterior(
    fitted: tuple[OwnEffects, np.ndarray, np.ndarray], rng: np.random.Generator
) -> None:
    effects, arm, rest = fitted
    drawn = effects.draw(20_000, rng)
    _, covariance = dense(effects, arm, rest)
    # A variance of 20,000 draws has a standard error of 1%.
    assert np.cov(drawn.T) == pytest.approx(covariance, abs=0.06 * np.diag(covariance).max())


def test_variances_are_learned_from_all_services(rng: np.random.Generator) -> None:
    arm = np.repeat(np.arange(12), 30)
    own = 0.5 * rng.standard_normal((12, 20))
    rest = own[arm] + 0.3 * rng.standard_normal((arm.size, 20))
    alike = 0.3 * rng.standard_normal((arm.size, 20))
    differing, same = fit_own_effects(CODES, arm, rest), fit_own_effects(CODES, arm, alike)
    assert np.exp(differing.theta[-1]) == pytest.approx(0.25 / 0.09, rel=0.35)
    assert same.theta.max() < -3.5
    assert np.diag(differing.covariance) == pytest.approx(0.09, rel=0.3)


def test_swapping_services_swaps_their_effects(
    fitted: tuple[OwnEffects, np.ndarray, np.ndarray],
) -> None:
    effects, arm, rest = fitted
    swapped = fit_own_effects(CODES, arm, rest[:, ::-1])
    assert swapped.mean[:, ::-1] == pytest.approx(effects.mean, abs=1e-6)


def test_slopes_are_drawn_to_the_common_one_where_services_do_not_differ(
    rng: np.random.Generator,
) -> None:
    x = rng.standard_normal((200, 10, 1))
    rest = 0.5 * x[:, :, 0] + rng.standard_normal((200, 10))
    found = fit_slopes(x, rest)
    plain = np.array([np.polyfit(x[:, s, 0], rest[:, s], 1)[0] for s in range(10)])
    assert found.value[:, 0].std() < 0.7 * plain.std()
    assert found.value[:, 0].mean() == pytest.approx(0.5, abs=0.08)


def test_rows_that_do_not_go_together_are_worth_a_label_each(rng: np.random.Generator) -> None:
    rest, cluster = rng.standard_normal((400, 2)), np.repeat(np.arange(40), 10)
    assert design_effect(rest, cluster) == pytest.approx(1.0, abs=0.4)
    shared = rest + 3.0 * rng.standard_normal((40, 2))[cluster]
    assert design_effect(shared, cluster) > 7.0
    assert design_effect(rest, np.arange(400)) == 1.0
