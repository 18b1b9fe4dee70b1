"""Covariances of accuracies between cells whose logits are jointly normal."""

import numpy as np
import pytest
from scipy.special import expit

from accuracy_assay.numerics.gp.posterior import logistic_terms
from accuracy_assay.numerics.quadrature import logistic_moments


@pytest.mark.parametrize("r", [-0.6, 0.1, 0.5, 0.9])
def test_they_give_the_covariance_by_quadrature(r: float) -> None:
    mean, variance = np.array([3.0, 1.0]), np.array([1.5, 0.8])
    nodes, weights = np.polynomial.hermite_e.hermegauss(64)
    weights = weights / weights.sum()
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
