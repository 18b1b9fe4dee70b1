"""The posterior of accuracies: covariances of cells whose logits are jointly normal."""

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest
from latent_gp import as_labels, some_cells
from scipy.sparse import csr_array
from scipy.special import expit

from accuracy_assay.numerics.gp import posterior
from accuracy_assay.numerics.gp.anova import CellArrays, Layout, kernel_diagonal
from accuracy_assay.numerics.gp.marginal_likelihood import FittedGP, fit_at
from accuracy_assay.numerics.gp.mixture import Mixtures
from accuracy_assay.numerics.gp.posterior import (
    Targets,
    covariance,
    logistic_terms,
    mixed_variance,
    predict,
    predict_far,
)
from accuracy_assay.numerics.quadrature import logistic_moments, normal_rule
from accuracy_assay.runtime.precision import precision


@pytest.mark.parametrize("r", [-0.6, 0.1, 0.5, 0.9])
def test_they_give_the_covariance_by_quadrature(r: float) -> None:
    mean, variance = np.array([3.0, 1.0]), np.array([1.5, 0.8])
    nodes, weights = normal_rule(64)
    x, y = nodes[:, None], nodes[None, :]
    first = expit(mean[0] + np.sqrt(variance[0]) * x)
    second = expit(mean[1] + np.sqrt(variance[1]) * (r * x + np.sqrt(1.0 - r**2) * y))
    both = weights[:, None] * weights
    exact = (both * first * second).sum() - (both * first).sum() * (both * second).sum()
    terms = logistic_terms(mean, variance)
    found = sum(terms[0, k] * terms[1, k] * r**k for k in range(1, terms.shape[1]))
    assert found == pytest.approx(exact, rel=0.02)


def test_with_what_is_left_out_they_give_the_exact_variance(rng: np.random.Generator) -> None:
    mean, variance = rng.normal(1.0, 2.0, 50), rng.uniform(0.01, 4.0, 50)
    squares = (logistic_terms(mean, variance) ** 2).sum(axis=1)
    np.testing.assert_allclose(squares, logistic_moments(mean, variance)[1], rtol=1e-6)


def test_averages_have_the_covariance_of_two_cells_that_share_no_cluster() -> None:
    mean, variance, within = np.array([0.8]), np.array([0.6]), 1.4
    r = variance / (variance + within)
    whole = logistic_terms(mean, variance + within)[0]
    average = logistic_terms(mean, variance, within)[0]
    np.testing.assert_allclose(average[1:], whole[1:] * r ** (np.arange(1, 4) / 2.0), atol=1e-5)


@pytest.fixture
def fitted(rng: np.random.Generator) -> FittedGP:
    layout = Layout((3, 3, 3), (False, False, True), 3)
    with precision():
        n = rng.integers(0, 9, 27).astype(float)
        labels = as_labels(rng.binomial(n.astype(int), 0.8).astype(float), n)
        cells = some_cells(rng, 27)
        return fit_at(layout.prior_mean, cells, labels, np.zeros(27), layout)


def targets_of(fitted: FittedGP, cells: CellArrays) -> Targets:
    mean, variance, V = predict(fitted, cells)
    terms = logistic_terms(np.asarray(mean), np.asarray(variance))
    return Targets(cells, V, variance, jnp.asarray(terms), jnp.arange(terms.shape[0]))


def test_a_cell_s_covariance_with_itself_is_its_variance(
    rng: np.random.Generator, fitted: FittedGP
) -> None:
    with precision():
        mean, variance, _ = predict(fitted, fitted.cells)
        targets = targets_of(fitted, fitted.cells)
        every = jnp.arange(27)
        found = covariance(fitted.tables, targets, every, every)
    exact = logistic_moments(np.asarray(mean), np.asarray(variance))[1]
    np.testing.assert_allclose(np.diag(np.asarray(found)), exact, rtol=1e-5)
    np.testing.assert_allclose(np.asarray(found), np.asarray(found).T, atol=1e-12)


def test_the_variance_of_a_sum_is_that_of_its_covariances(
    rng: np.random.Generator, fitted: FittedGP
) -> None:
    index, weight = rng.integers(0, 27, (4, 3)), rng.random((4, 3))
    with precision():
        targets, every = targets_of(fitted, fitted.cells), jnp.arange(27)
        C = np.asarray(covariance(fitted.tables, targets, every, every))
        found = mixed_variance(fitted.tables, targets, jnp.asarray(index), jnp.asarray(weight))
    by_hand = [w @ C[np.ix_(i, i)] @ w for i, w in zip(index, weight, strict=True)]
    np.testing.assert_allclose(np.asarray(found), by_hand, rtol=1e-9)


def test_labels_leave_less_variance_than_the_prior_has(fitted: FittedGP) -> None:
    with precision():
        _, variance, _ = predict(fitted, fitted.cells)
        prior = kernel_diagonal(fitted.theta, fitted.cells, fitted.layout)
    assert (np.asarray(variance) < np.asarray(prior)).all()


def test_with_many_observed_cells_arms_without_rows_are_predicted_in_32_bits(
    fitted: FittedGP, monkeypatch: pytest.MonkeyPatch
) -> None:
    with precision():
        exact = predict(fitted, fitted.cells)[:2]
        few = predict_far(fitted, fitted.cells)
        monkeypatch.setattr(posterior, "_MOST_CELLS_DOUBLE", 0)
        many = predict_far(fitted, fitted.cells)
    np.testing.assert_array_equal(np.asarray(few), np.asarray(exact))
    np.testing.assert_allclose(np.asarray(many), np.asarray(exact), atol=1e-5)
    assert not np.array_equal(np.asarray(many), np.asarray(exact))


def test_more_cells_than_rows_predict_what_their_root_multiplied_out_does(
    rng: np.random.Generator,
) -> None:
    layout = Layout((3, 3, 3), (False, False, True), 3)
    with precision():
        cells, P = some_cells(rng, 27), rng.dirichlet(np.full(27, 0.3), size=8)
        labels = Mixtures(rng.random(8), np.ones(8), csr_array(P))
        fitted = fit_at(layout.prior_mean, cells, labels, np.zeros(27), layout)
        assert fitted.row_root is not None
        by_rows, far = predict(fitted, fitted.cells), predict_far(fitted, fitted.cells)
        by_cells = predict(replace(fitted, row_root=None), fitted.cells)
    for one, other in zip(by_rows, by_cells, strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), atol=1e-9)
    np.testing.assert_allclose(np.asarray(far[1]), np.asarray(by_rows[1]), atol=1e-12)
