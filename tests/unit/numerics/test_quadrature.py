"""Expectations under normal variables."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

from accuracy_assay.numerics.quadrature import (
    average_sigmoid,
    expect,
    expect_pair,
    logistic_moments,
    normal_rule,
    place,
    sigmoid_at_nodes,
)
from accuracy_assay.runtime.precision import precision


@pytest.mark.parametrize("degree", range(10))
def test_polynomials_are_integrated_exactly(degree: int) -> None:
    nodes, weights = normal_rule(5)
    assert weights @ nodes**degree == pytest.approx(norm.moment(degree), abs=1e-9)


def test_a_rule_is_made_once_and_cannot_be_changed() -> None:
    nodes, weights = normal_rule(7)
    assert normal_rule(7)[0] is nodes
    assert not nodes.flags.writeable
    assert not weights.flags.writeable


def test_values_at_placed_nodes_average_to_the_expectation() -> None:
    mean, variance = np.array([0.3, -2.0]), np.array([0.5, 4.0])
    with precision():
        at = place(jnp.asarray(mean), jnp.asarray(variance), 20)
        first, second = np.asarray(expect(at)), np.asarray(expect(at**2))
    np.testing.assert_allclose(first, mean, atol=1e-12)
    np.testing.assert_allclose(second, variance + mean**2, rtol=1e-12)


def test_two_variables_are_independent() -> None:
    with precision():
        x = place(jnp.asarray([1.0]), jnp.asarray([2.0]), 8)[:, :, None]
        y = place(jnp.asarray([3.0]), jnp.asarray([0.5]), 6)[:, None, :]
        product = np.asarray(expect_pair(x * y))
    np.testing.assert_allclose(product, 3.0)


@pytest.mark.parametrize(("mean", "variance"), [(0.0, 1.0), (2.5, 0.3), (-1.0, 4.0)])
def test_moments_of_a_sigmoid_are_the_integrals(mean: float, variance: float) -> None:
    weight = norm(mean, variance**0.5)
    first = quad(lambda e: expit(e) * weight.pdf(e), -20, 20)[0]
    second = quad(lambda e: (expit(e) - first) ** 2 * weight.pdf(e), -20, 20)[0]
    found = logistic_moments(np.array([mean]), np.array([variance]))
    assert found[0][0] == pytest.approx(first, abs=1e-6)
    assert found[1][0] == pytest.approx(second, abs=1e-6)


def test_a_logit_without_variance_is_itself() -> None:
    rho = sigmoid_at_nodes(np.array([1.2]), np.zeros(1))
    np.testing.assert_allclose(rho, expit(1.2))
    assert logistic_moments(np.array([1.2]), np.zeros(1))[1][0] == pytest.approx(0.0, abs=1e-30)


@pytest.mark.parametrize("within", [0.0, 0.7, 4.0])
def test_a_sigmoid_is_averaged_over_a_normal_number(within: float) -> None:
    eta = np.array([-1.0, 0.0, 3.0])
    density = norm(scale=max(within, 1e-12) ** 0.5).pdf
    for x, found in zip(eta, average_sigmoid(eta, within), strict=True):
        exact = quad(lambda u, x=x: expit(x + u) * density(u), -20.0, 20.0)[0]
        assert found == pytest.approx(exact if within else expit(x), abs=1e-5)


def test_averages_have_the_mean_of_what_they_average_and_vary_less() -> None:
    mean, variance = np.array([1.0, -2.0]), np.array([0.5, 1.5])
    average, spread = logistic_moments(mean, variance, within=2.0)
    single, larger = logistic_moments(mean, variance + 2.0)
    np.testing.assert_allclose(average, single, atol=1e-5)
    assert (spread < larger).all()
