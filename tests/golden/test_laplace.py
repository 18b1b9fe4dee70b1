"""The Laplace approximation against independent implementations and the integral itself."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF

from accuracy_assay.numerics.gp import anova, laplace
from accuracy_assay.numerics.gp.anova import CellArrays, Layout
from accuracy_assay.numerics.gp.evidence_search import maximise_evidence
from accuracy_assay.numerics.gp.laplace import Labels
from accuracy_assay.numerics.gp.posterior import predict
from accuracy_assay.numerics.quadrature import logistic_moments
from accuracy_assay.runtime.precision import precision

FloatArray = NDArray[np.float64]

# Compiled as one, as in the product; operation by operation each would be compiled on its own.
find_mode = jax.jit(laplace.find_mode)
evidence_and_slopes = jax.jit(laplace.evidence_and_slopes)
mean_shift = jax.jit(laplace.mean_shift)
kernel = jax.jit(anova.kernel, static_argnames="layout")
kernel_diagonal = jax.jit(anova.kernel_diagonal, static_argnames="layout")


def some_kernel(rng: np.random.Generator, J: int) -> FloatArray:
    x = rng.normal(size=(J, 2))
    distance = ((x[:, None] - x[None]) ** 2).sum(-1)
    return np.asarray(1.5 * np.exp(-0.5 * distance) + 0.3 * np.eye(J))


def log_z(K: FloatArray, mu: float, labels: Labels) -> float:
    K_, start = jnp.asarray(K), jnp.zeros(K.shape[0])
    mode = find_mode(K_, jnp.asarray(mu), labels, start)
    return float(evidence_and_slopes(K_, jnp.asarray(mu), labels, mode)[0])


def as_labels(y: FloatArray, n: FloatArray, P: FloatArray | None = None) -> Labels:
    return Labels(jnp.asarray(y), jnp.asarray(n), None if P is None else jnp.asarray(P))


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

    found = minimize(lambda f: -height(f), np.zeros(J), method="BFGS", options={"gtol": 1e-9})
    with precision():
        mode = find_mode(jnp.asarray(K), jnp.asarray(0.4), as_labels(y, n), jnp.zeros(J))
        ours = log_z(K, 0.4, as_labels(y, n))
    np.testing.assert_allclose(np.asarray(mode.eta) - 0.4, found.x, atol=1e-5)
    rho = expit(0.4 + found.x)
    W = np.diag(n * rho * (1.0 - rho))
    dense = height(found.x) - 0.5 * np.linalg.slogdet(np.eye(J) + K @ W)[1]
    assert ours == pytest.approx(dense, abs=1e-7)


@pytest.mark.parametrize("is_mixture", [False, True])
def test_slopes_equal_finite_differences(rng: np.random.Generator, is_mixture: bool) -> None:
    J = 9
    K = some_kernel(rng, J)
    R = 14 if is_mixture else J
    P = rng.dirichlet(np.full(J, 0.4), size=R) if is_mixture else None
    n = rng.integers(1, 5, R).astype(float)
    y = rng.random(R) * n
    direction = some_kernel(rng, J)
    step = 1e-5
    with precision():
        labels = as_labels(y, n, P)
        mode = find_mode(jnp.asarray(K), jnp.asarray(0.3), labels, jnp.zeros(J))
        _, slope_K, slope_mu = evidence_and_slopes(jnp.asarray(K), jnp.asarray(0.3), labels, mode)
        by_K = log_z(K + step * direction, 0.3, labels) - log_z(K - step * direction, 0.3, labels)
        by_mu = log_z(K, 0.3 + step, labels) - log_z(K, 0.3 - step, labels)
    assert by_K / (2 * step) == pytest.approx(
        float((np.asarray(slope_K) * direction).sum()), rel=1e-5
    )
    assert by_mu / (2 * step) == pytest.approx(float(slope_mu), rel=1e-5)


def test_one_hot_rows_equal_the_binomial(rng: np.random.Generator) -> None:
    J = 10
    K, n = some_kernel(rng, J), rng.integers(1, 6, J).astype(float)
    y = rng.random(J) * n
    with precision():
        start = jnp.zeros(J)
        exact = find_mode(jnp.asarray(K), jnp.asarray(0.5), as_labels(y, n), start)
        mixed = find_mode(jnp.asarray(K), jnp.asarray(0.5), as_labels(y, n, np.eye(J)), start)
        z_exact = log_z(K, 0.5, as_labels(y, n))
        z_mixed = log_z(K, 0.5, as_labels(y, n, np.eye(J)))
    np.testing.assert_allclose(np.asarray(exact.eta), np.asarray(mixed.eta), atol=1e-8)
    M_exact, M_mixed = (np.asarray(m.H).T @ np.asarray(m.H) for m in (exact, mixed))
    np.testing.assert_allclose(M_exact, M_mixed, atol=1e-8)
    assert z_exact == pytest.approx(z_mixed, abs=1e-8)


def test_padding_changes_nothing(rng: np.random.Generator) -> None:
    J, wide = 7, 12
    K, n = some_kernel(rng, wide), rng.integers(1, 6, J).astype(float)
    y = rng.random(J) * n
    padded = [np.pad(part, (0, wide - J)) for part in (y, n)]
    with precision():
        short, long = log_z(K[:J, :J], 0.2, as_labels(y, n)), log_z(K, 0.2, as_labels(*padded))
    assert short == pytest.approx(long, abs=1e-9)


def test_a_bad_guess_does_not_spoil_the_mode(rng: np.random.Generator) -> None:
    J = 10
    K, n = 30.0 * some_kernel(rng, J), np.full(J, 50.0)
    y = rng.random(J) * n
    with precision():
        labels = as_labels(y, n)
        good = find_mode(jnp.asarray(K), jnp.asarray(1.0), labels, jnp.zeros(J))
        bad = jnp.asarray(rng.normal(size=J) * 40.0)
        from_bad = find_mode(jnp.asarray(K), jnp.asarray(1.0), labels, bad)
    np.testing.assert_allclose(np.asarray(good.eta), np.asarray(from_bad.eta), atol=1e-6)


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
        labels = as_labels(y, n, P if is_mixture else None)
        mode = find_mode(jnp.asarray(K), jnp.asarray(mu), labels, jnp.zeros(2))
        shift = np.asarray(mean_shift(jnp.asarray(K), labels, mode))
    by_mode = np.asarray(mode.eta)
    shifted = by_mode + K @ shift
    assert (np.abs(shifted - mean) < 0.4 * np.abs(by_mode - mean)).all()


def test_a_single_unlabelled_arm_has_exactly_the_prior_moments() -> None:
    rate, spread = logistic_moments(np.array([1.3]), np.array([2.1]))
    weight = norm(1.3, 2.1**0.5)
    mean = quad(lambda e: expit(e) * weight.pdf(e), -12, 15)[0]
    square = quad(lambda e: expit(e) ** 2 * weight.pdf(e), -12, 15)[0]
    assert rate[0] == pytest.approx(mean, abs=1e-7)
    assert spread[0] == pytest.approx(square - mean**2, abs=1e-7)


def some_cells(rng: np.random.Generator, J: int) -> CellArrays:
    codes = rng.integers(0, 3, size=(J, 3))
    arm = codes @ [9, 3, 1]
    parts = (codes, arm, codes[:, 2] % 2, 0.5 + arm / 20.0)
    return CellArrays(*(jnp.asarray(part) for part in parts))


@pytest.mark.parametrize("n_groups", [1, 2])
def test_the_kernel_is_one_by_hand(rng: np.random.Generator, n_groups: int) -> None:
    layout = Layout((3, 3, 3), (False, True, False), 2, n_groups)
    with precision():
        cells = some_cells(rng, 6)
        theta = rng.normal(size=layout.size)
        K = np.asarray(kernel(jnp.asarray(theta), cells, cells, layout))
        diagonal = np.asarray(kernel_diagonal(jnp.asarray(theta), cells, layout))
    p = {name: np.exp(theta[part]) for name, part in layout.slices.items()}
    b = theta[layout.slices["b"]] if n_groups > 1 else np.ones(1)
    x, arm, group, own = (np.asarray(part) for part in cells)
    group = group if n_groups > 1 else 0 * group
    for i in range(6):
        for j in range(6):
            d = np.array([x[i, 0] != x[j, 0], abs(x[i, 1] - x[j, 1]), x[i, 2] != x[j, 2]], float)
            alone = p["v"][0] * (1 - d[0]) + p["v"][1] * np.exp(-p["e"][1] * d[1])
            if n_groups > 1:
                alone += p["t"][0] * np.exp(-p["u"] @ d[:2])
            hand = p["o"][0] * own[i] * (arm[i] == arm[j]) + p["s"][0] * np.exp(-p["w"] @ d)
            assert K[i, j] == pytest.approx(hand + b[group[i]] * b[group[j]] * alone, rel=1e-10)
    np.testing.assert_allclose(diagonal, np.diag(K), rtol=1e-10)


def test_the_search_climbs_from_every_start(rng: np.random.Generator) -> None:
    layout = Layout((3, 3, 3), (False, False, True), 3)
    with precision():
        cells = some_cells(rng, 27)
        n = rng.integers(1, 30, 27).astype(float)
        y = rng.binomial(n.astype(int), expit(rng.normal(1.0, 1.5, 27))).astype(float)
        labels = as_labels(y, n)
        far = layout.prior_mean + rng.normal(size=layout.size)
        found = [
            maximise_evidence(cells, labels, layout, [start], max_steps=200)
            for start in (layout.prior_mean, far)
        ]
        K = kernel(jnp.asarray(found[0].theta), cells, cells, layout)
        mean, variance, _ = predict(found[0], cells)
        shift = K @ mean_shift(K, labels, found[0].mode)
    assert found[0].value == pytest.approx(found[1].value, abs=0.05)
    H = np.asarray(found[0].mode.H)
    C = np.asarray(K) - np.asarray(K) @ H.T @ H @ np.asarray(K)
    np.testing.assert_allclose(np.asarray(variance), np.diag(C), atol=1e-8)
    expected = np.asarray(found[0].mode.eta) + np.asarray(shift)
    np.testing.assert_allclose(np.asarray(mean), expected, atol=1e-5)
