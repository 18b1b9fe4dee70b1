"""The trust that gold rows put in predictors and joint priors."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime

from accuracy_assay.numerics.joint.crosstalk import heard, may_hear
from accuracy_assay.numerics.joint.stacking import (
    Heard,
    Stacked,
    loss_and_slope,
    row_losses,
    stack,
)


def test_gradient_equals_finite_differences(case, rng) -> None:
    arm = rng.integers(0, case.n_arms, case.n_rows)
    features = rng.normal(size=(2, case.n_arms))
    at = rng.normal(0, 0.3, 4 + 2 + sum(case.shape))
    _, found = loss_and_slope(at, case.log_m, arm, features)
    expected = approx_fprime(at, lambda x: loss_and_slope(x, case.log_m, arm, features)[0], 1e-7)
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_gradient_equals_finite_differences_where_others_are_heard(case, rng) -> None:
    arm = rng.integers(0, case.n_arms, case.n_rows)
    features, n_values = rng.normal(size=(1, case.n_arms)), sum(case.shape)
    is_guessed = np.ones(len(case.shape), bool)
    what = Heard(heard(case.log_m, np.ones(n_values)), may_hear(case.shape, is_guessed))
    at = rng.normal(0, 0.2, len(case.shape) + 1 + n_values + n_values**2)

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        return loss_and_slope(x, case.log_m, arm, features, None, what)

    value, found = loss(at)
    np.testing.assert_allclose(found, approx_fprime(at, lambda x: loss(x)[0], 1e-7), atol=1e-4)
    k, end = len(case.shape), len(case.shape) + 1 + n_values
    biases = np.split(at[k + 1 : end], np.cumsum(case.shape)[:-1])
    C = at[end:].reshape(n_values, n_values)
    fit = Stacked(np.exp(at[:k]), biases, at[k : k + 1], C)
    losses = row_losses(fit, case.log_m, arm, features, what)
    assert losses.sum() == pytest.approx(value)


def test_loss_is_that_of_the_model(case, rng) -> None:
    arm, features = rng.integers(0, case.n_arms, case.n_rows), rng.normal(size=(1, case.n_arms))
    parameters = np.concatenate([np.log(case.s), [0.7], np.zeros(sum(case.shape))])
    scores = case.scores(case.s, 0.7 * features[0])
    exact = np.logaddexp.reduce(scores, axis=1).sum() - scores[np.arange(20), arm].sum()
    assert loss_and_slope(parameters, case.log_m, arm, features)[0] == pytest.approx(exact)


def test_a_prior_that_counts_twice_is_given_half_its_weight(rng) -> None:
    truth = np.array([0.4, 0.1, 0.1, 0.4])
    arm = rng.choice(4, 4_000, p=truth)
    fold = np.arange(4_000) % 5
    squared = np.log(truth**2 / 0.25**2)
    features = np.repeat(squared[None, None], 5, axis=0)
    flat = [np.zeros((4_000, 2)), np.zeros((4_000, 2))]
    fit = stack(flat, arm, fold, features, np.array([1.0]), np.array([False, False]))
    assert abs(fit.coefficients[0] - 0.5) < 0.05
    np.testing.assert_array_equal(fit.sharpness, 1.0)


def test_an_overconfident_predictor_gets_the_sharpness_that_makes_it_right(rng) -> None:
    # 0.9 is stated where 0.75 is true: a sharpness of one half.
    right = rng.random(4_000) < 0.75
    said = rng.integers(0, 2, 4_000)
    log_m = [np.where(np.arange(2) == said[:, None], np.log(0.9), np.log(0.1))]
    arm = np.where(right, said, 1 - said)
    nothing = np.zeros((2, 1, 2))
    fit = stack(log_m, arm, np.arange(4_000) % 2, nothing, np.array([1.0]), np.array([True]))
    assert fit.sharpness[0] == pytest.approx(0.5, abs=0.05)
