"""The sparse variational machinery against a dense Gaussian process and finite differences."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array
from scipy.stats import multivariate_normal, norm

from accuracy_assay.numerics.paper.arm_kernel import correlation, random_network, random_projection
from accuracy_assay.numerics.paper.pooling import Pooling
from accuracy_assay.numerics.paper.svgp import (
    Link,
    Model,
    Params,
    StepRows,
    draw_latent,
    initial_params,
    latent,
    negative_elbo,
)
from accuracy_assay.numerics.paper.variational import kl_from_prior, marginals
from accuracy_assay.runtime.device import put
from accuracy_assay.runtime.precision import precision

NOISE = 0.3
N = 12

loss_and_slope = jax.jit(jax.value_and_grad(negative_elbo, argnums=1), static_argnames="model")
compiled_correlation = jax.jit(correlation)


@jax.jit
def marginals_and_kl(
    C: Array, s: Array, m0: Array, mu: Array, T: Array
) -> tuple[Array, Array, Array]:
    """Return what is under test, with the data as inducing points and no jitter."""
    return *marginals(C, C, s, jnp.array(0.0), m0, mu, T), kl_from_prior(mu, T)


@partial(jax.jit, static_argnames="link")
def latent_with_draws(
    link: Link, params: Params, X: Array, jitter: Array, inducing: Array, own: Array
) -> tuple[Array, Array, Array]:
    return *latent(link, params, X, jitter), draw_latent(link, params, X, jitter, inducing, own)


@pytest.fixture(autouse=True)
def wide() -> Iterator[None]:
    with precision("float64"):
        yield


@pytest.fixture
def line(rng: np.random.Generator) -> dict[str, Any]:
    """Twelve points on a line with noisy values, and the dense prior over them."""
    X = np.sort(rng.uniform(0.0, 6.0, (N, 1)), axis=0)
    y = np.sin(X[:, 0]) + NOISE * rng.normal(size=N)
    C = np.asarray(compiled_correlation(put(X), put(X), put([[0.9]])))
    return {"C": C, "y": y, "s": 1.7, "m0": 0.4}


def posterior(line: dict[str, Any], mu: np.ndarray, T: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return means and variances of the latent values (1, N), and the KL."""
    s, m0 = np.array([line["s"]]), np.array([line["m0"]])
    found = marginals_and_kl(put(line["C"]), put(s), put(m0), put(mu[None]), put(T[None]))
    return tuple(np.asarray(value) for value in found)


def bound(line: dict[str, Any], mu: np.ndarray, T: np.ndarray) -> float:
    """Return the ELBO under Gaussian noise with the data as inducing points."""
    mean, variance, kl = posterior(line, mu, T)
    fit = norm.logpdf(line["y"], mean[0], NOISE)
    spread = variance[0] / (2.0 * NOISE**2)
    return float((fit - spread).sum() - kl)


def best_q(line: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and root of the exact posterior of the whitened values."""
    R = np.sqrt(line["s"]) * np.linalg.cholesky(line["C"][0])
    S = np.linalg.inv(np.eye(N) + R.T @ R / NOISE**2)
    return S @ R.T @ (line["y"] - line["m0"]) / NOISE**2, np.linalg.cholesky(S)


def test_the_bound_reaches_the_dense_evidence(line: dict[str, Any]) -> None:
    K = line["s"] * line["C"][0] + NOISE**2 * np.eye(N)
    evidence = multivariate_normal(np.full(N, line["m0"]), K).logpdf(line["y"])
    assert bound(line, *best_q(line)) == pytest.approx(evidence, abs=1e-8)


def test_any_other_q_stays_below_the_evidence(
    line: dict[str, Any], rng: np.random.Generator
) -> None:
    mu, T = best_q(line)
    top = bound(line, mu, T)
    for _ in range(5):
        other = bound(line, mu + 0.1 * rng.normal(size=N), T + 0.02 * rng.normal(size=(N, N)))
        assert other < top


def test_marginals_are_those_of_the_dense_posterior(line: dict[str, Any]) -> None:
    mean, variance, _ = posterior(line, *best_q(line))
    K = line["s"] * line["C"][0]
    gain = K @ np.linalg.inv(K + NOISE**2 * np.eye(N))
    np.testing.assert_allclose(mean[0], line["m0"] + gain @ (line["y"] - line["m0"]), atol=1e-8)
    np.testing.assert_allclose(variance[0], np.diag(K - gain @ K), atol=1e-8)


MODELS = {
    "bern-gp": Model(likelihood="bernoulli"),
    "beta-gp": Model(link=(6.0, -3.0)),
    "beta-gp-ab": Model(likelihood="beta_alpha_beta"),
    "beta-gp-slp": Model(supervision="dirichlet", pooling=Pooling()),
    "beta-gp-sl gamma": Model(supervision="gamma"),
}


def some_params(model: Model, rng: np.random.Generator, *, use_ard: bool = False) -> Params:
    """Return parameters away from the start, so that every term has a gradient."""
    network = random_network(4, (5,), rng)
    begin = initial_params(
        model,
        put(rng.normal(size=(6, 4))),
        network,
        random_projection(5, 3, 1.0, rng),
        use_ard=use_ard,
    )
    flat = as_vector(begin)
    return as_params(flat + 0.1 * rng.normal(size=flat.size), begin)


def as_vector(params: Params) -> np.ndarray:
    return np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(params)])


def as_params(flat: np.ndarray, like: Params) -> Params:
    leaves, tree = jax.tree.flatten(like)
    parts = np.split(flat, np.cumsum([leaf.size for leaf in leaves])[:-1])
    params: Params = tree.unflatten(
        put(part.reshape(leaf.shape)) for part, leaf in zip(parts, leaves, strict=True)
    )
    return params


def some_rows(rng: np.random.Generator) -> StepRows:
    n = rng.uniform(0.1, 9.0, 20)
    pooled = rng.uniform(0.1, 9.0, 20)
    c = pooled * rng.random(20)
    w = np.where(np.arange(20) < 17, 1.0, 0.0)
    return StepRows(*(put(a) for a in (rng.normal(size=(20, 4)), n, pooled, c, w, w)))


@pytest.mark.parametrize("name", list(MODELS))
def test_gradients_are_finite_differences(name: str, rng: np.random.Generator) -> None:
    model, rows = MODELS[name], some_rows(rng)
    params = some_params(model, rng, use_ard=name == "beta-gp-ab")
    middle = as_vector(params)
    total, jitter = put(np.sum(rows.n)), put(1e-6)

    def at(x: np.ndarray) -> tuple[float, np.ndarray]:
        loss, slope = loss_and_slope(model, as_params(x, params), rows, total, jitter)
        return float(loss), as_vector(slope)

    slope = at(middle)[1]
    for _ in range(4):
        step = rng.normal(size=middle.size)
        step *= 1e-5 / np.linalg.norm(step)
        difference = (at(middle + step)[0] - at(middle - step)[0]) / 2.0
        assert slope @ step == pytest.approx(difference, rel=1e-4, abs=1e-10)


def test_padding_rows_weigh_nothing(rng: np.random.Generator) -> None:
    model, rows = MODELS["beta-gp-slp"], some_rows(rng)
    params, total, jitter = some_params(model, rng), put(50.0), put(1e-6)
    is_padding = np.arange(20) >= 17
    other = rows._replace(
        X=put(np.where(is_padding[:, None], 9.0, rows.X)),
        n=put(np.where(is_padding, 7.0, rows.n)),
        likelihood_n=put(np.where(is_padding, 3.0, rows.likelihood_n)),
        likelihood_c=put(np.where(is_padding, 1.0, rows.likelihood_c)),
    )
    first, second = (loss_and_slope(model, params, r, total, jitter)[0] for r in (rows, other))
    assert float(first) == pytest.approx(float(second))


def test_joint_draws_have_the_marginal_moments(rng: np.random.Generator) -> None:
    model = Model()
    params, X = some_params(model, rng), put(rng.normal(size=(5, 4)))
    n_draws, m = 40_000, params.mean.shape[1]
    inducing, own = (put(rng.standard_normal((2, n_draws, size))) for size in (m, 5))
    found = latent_with_draws(model.link, params, X, put(1e-6), inducing, own)
    mean, variance, draws = (np.asarray(value) for value in found)
    # Four standard errors of a mean, and of a variance of normal draws.
    close = 4.0 * np.sqrt(variance / n_draws)
    assert (np.abs(draws.mean(1) - mean) < close).all()
    assert (np.abs(draws.var(1) - variance) < 4.0 * variance * np.sqrt(2.0 / n_draws)).all()
