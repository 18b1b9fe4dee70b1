"""The Laplace approximation against independent implementations and the integral itself."""

import jax.numpy as jnp
import numpy as np
import pytest
from latent_gp import as_labels, find_mode, log_z, mean_shift, some_kernel
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF

from accuracy_assay.numerics.gp.mixture import Mixtures, find_top
from accuracy_assay.numerics.quadrature import logistic_moments
from accuracy_assay.runtime.arrays import FloatArray
from accuracy_assay.runtime.precision import precision


def test_it_equals_the_gaussian_process_classifier_of_scikit_learn(
    rng: np.random.Generator,
) -> None:
    x = rng.normal(size=(40, 2))
    y = (rng.random(40) < expit(x[:, 0] - x[:, 1])).astype(float)
    judge = GaussianProcessClassifier(1.0 * RBF(0.8), optimizer=None).fit(x, y)
    K = np.asarray(judge.kernel_(x))
    with precision():
        labels = as_labels(y, np.ones(40))
        mode = find_mode(jnp.asarray(K), jnp.zeros(()), labels, jnp.zeros(40))
        ours = log_z(K, 0.0, labels)
    assert ours == pytest.approx(judge.log_marginal_likelihood_value_, abs=1e-5)
    np.testing.assert_allclose(expit(np.asarray(mode.eta)), judge.base_estimator_.pi_, atol=1e-5)


def test_the_mode_is_where_a_general_optimiser_finds_it(rng: np.random.Generator) -> None:
    J = 12
    K, n = some_kernel(rng, J), rng.integers(0, 6, J).astype(float)
    y = rng.binomial(n.astype(int), 0.7).astype(float)
    inverse = np.linalg.inv(K)

    def height(f: FloatArray) -> float:
        return float(y @ (0.4 + f) - n @ np.logaddexp(0.0, 0.4 + f) - 0.5 * f @ inverse @ f)

    def slope(f: FloatArray) -> FloatArray:
        return np.asarray(y - n * expit(0.4 + f) - inverse @ f)

    # With its slope given: differences of heights find the top only to some 1e-7.
    found = minimize(
        lambda f: -height(f),
        np.zeros(J),
        jac=lambda f: -slope(f),
        method="BFGS",
        options={"gtol": 1e-10},
    )
    with precision():
        mode = find_mode(jnp.asarray(K), jnp.asarray(0.4), as_labels(y, n), jnp.zeros(J))
        ours = log_z(K, 0.4, as_labels(y, n))
    np.testing.assert_allclose(np.asarray(mode.eta) - 0.4, found.x, atol=1e-5)
    rho = expit(0.4 + found.x)
    W = np.diag(n * rho * (1.0 - rho))
    dense = height(found.x) - 0.5 * np.linalg.slogdet(np.eye(J) + K @ W)[1]
    assert ours == pytest.approx(dense, abs=1e-7)


def test_a_single_arm_has_the_mean_of_the_integral() -> None:
    # 37 of 40 right under a prior of eta ~ N(1, 0.8): Laplace is close where labels are many.
    y, n, mu, variance = 37.0, 40.0, 1.0, 0.8

    def density(eta: float) -> float:
        return float(expit(eta) ** y * expit(-eta) ** (n - y) * norm.pdf(eta, mu, variance**0.5))

    total = quad(density, -8, 12)[0]
    mean = quad(lambda eta: expit(eta) * density(eta), -8, 12)[0] / total
    square = quad(lambda eta: expit(eta) ** 2 * density(eta), -8, 12)[0] / total
    with precision():
        K = jnp.full((1, 1), variance)
        labels = as_labels(np.array([y]), np.array([n]))
        mode = find_mode(K, jnp.asarray(mu), labels, jnp.zeros(1))
        C = np.asarray(K - K @ mode.H.T @ mode.H @ K)
        z = log_z(np.asarray(K), mu, labels)
    rate, spread = logistic_moments(np.asarray(mode.eta), np.diag(C))
    assert rate[0] == pytest.approx(mean, abs=0.006)
    assert spread[0] ** 0.5 == pytest.approx((square - mean**2) ** 0.5, rel=0.1)
    assert z == pytest.approx(np.log(total), abs=0.05)


@pytest.mark.parametrize("is_mixture", [False, True])
def test_the_shifted_mean_is_that_of_the_integral(is_mixture: bool) -> None:
    # Two arms that know of each other, three right labels of the one, or of a mixture of both.
    K, mu = np.array([[1.5, 0.9], [0.9, 1.2]]), 0.5
    y, n = np.array([3.0, 0.0]), np.array([3.0, 0.0])
    P = np.array([[0.7, 0.3], [0.5, 0.5]]) if is_mixture else np.eye(2)
    axis = np.linspace(-8.0, 10.0, 601)
    eta = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1)
    away = eta - mu
    prior = -0.5 * np.einsum("...i,ij,...j", away, np.linalg.inv(K), away)
    density = np.exp(prior) * ((expit(eta) @ P.T) ** y).prod(-1)
    mean = np.einsum("ij,ijk->k", density, eta) / density.sum()
    with precision():
        if is_mixture:
            top = find_top(K, mu, Mixtures(y, n, csr_array(P)), np.zeros(2))
            mode, weights, _ = top.posterior()
        else:
            labels = as_labels(y, n)
            mode = find_mode(jnp.asarray(K), jnp.asarray(mu), labels, jnp.zeros(2))
            weights = mode.g + mean_shift(jnp.asarray(K), labels, mode)
    by_mode = np.asarray(mode.eta)
    shifted = mu + K @ np.asarray(weights)
    assert (np.abs(shifted - mean) < 0.4 * np.abs(by_mode - mean)).all()


def test_a_single_unlabelled_arm_has_exactly_the_prior_moments() -> None:
    rate, spread = logistic_moments(np.array([1.3]), np.array([2.1]))
    weight = norm(1.3, 2.1**0.5)
    mean = quad(lambda e: expit(e) * weight.pdf(e), -12, 15)[0]
    square = quad(lambda e: expit(e) ** 2 * weight.pdf(e), -12, 15)[0]
    assert rate[0] == pytest.approx(mean, abs=1e-7)
    assert spread[0] == pytest.approx(square - mean**2, abs=1e-7)
