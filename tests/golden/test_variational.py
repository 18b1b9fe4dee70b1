"""The sparse variational machinery against a dense Gaussian process and finite differences."""

from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree
from scipy.stats import multivariate_normal, norm

from accuracy_assay.numerics.embedding import random_network, random_projection
from accuracy_assay.numerics.kernels import correlation
from accuracy_assay.numerics.pooling import Pooling
from accuracy_assay.numerics.precision import precision
from accuracy_assay.numerics.svgp import (
    Model,
    Params,
    Rows,
    draw_latent,
    initial_params,
    latent,
    negative_elbo,
)
from accuracy_assay.numerics.variational import inverse_root, kl_from_prior, marginals

NOISE = 0.3
N = 12

compiled_elbo = jax.jit(negative_elbo, static_argnames="model")
compiled_slope = jax.jit(jax.value_and_grad(negative_elbo, argnums=1), static_argnames="model")
compiled_marginals = jax.jit(marginals)


@pytest.fixture(autouse=True)
def wide() -> Iterator[None]:
    with precision("float64"):
        yield


@pytest.fixture
def line(rng: np.random.Generator) -> dict[str, Any]:
    """Twelve points on a line with noisy values, and the dense prior over them."""
    X = np.sort(rng.uniform(0.0, 6.0, (N, 1)), axis=0)
    y = np.sin(X[:, 0]) + NOISE * rng.normal(size=N)
    C = np.asarray(correlation(jnp.asarray(X), jnp.asarray(X), jnp.asarray([[0.9]])))
    return {"C": C, "y": y, "s": 1.7, "m0": 0.4}


def bound(line: dict[str, Any], mu: np.ndarray, T: np.ndarray) -> float:
    """Return the ELBO under Gaussian noise with the data as inducing points."""
    C = jnp.asarray(line["C"])
    mean, variance = compiled_marginals(
        C, C, jnp.array([line["s"]]), jnp.array(0.0), jnp.array([line["m0"]]), mu[None], T[None]
    )
    fit = norm.logpdf(line["y"], np.asarray(mean)[0], NOISE)
    spread = np.asarray(variance)[0] / (2.0 * NOISE**2)
    return float((fit - spread).sum() - kl_from_prior(mu[None], T[None]))


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
    mu, T = best_q(line)
    C = jnp.asarray(line["C"])
    mean, variance = compiled_marginals(
        C, C, jnp.array([line["s"]]), jnp.array(0.0), jnp.array([line["m0"]]), mu[None], T[None]
    )
    K = line["s"] * line["C"][0]
    gain = K @ np.linalg.inv(K + NOISE**2 * np.eye(N))
    np.testing.assert_allclose(mean[0], line["m0"] + gain @ (line["y"] - line["m0"]), atol=1e-8)
    np.testing.assert_allclose(variance[0], np.diag(K - gain @ K), atol=1e-8)


def test_the_inverse_root_is_the_inverse_of_the_root(rng: np.random.Generator) -> None:
    R = np.tril(rng.normal(size=(2, 13, 13))) + 4.0 * np.eye(13)
    K = R @ R.swapaxes(1, 2)
    np.testing.assert_allclose(jax.jit(inverse_root)(K), np.linalg.inv(R), atol=1e-10)


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
        jnp.asarray(rng.normal(size=(6, 4))),
        network,
        random_projection(5, 3, 1.0, rng),
        use_ard=use_ard,
    )
    flat, restore = ravel_pytree(begin)
    params: Params = restore(flat + 0.1 * rng.normal(size=flat.size))
    return params


def some_rows(rng: np.random.Generator) -> Rows:
    n = rng.uniform(0.1, 9.0, 20)
    pooled = rng.uniform(0.1, 9.0, 20)
    c = pooled * rng.random(20)
    w = np.where(np.arange(20) < 17, 1.0, 0.0)
    return Rows(*(jnp.asarray(a) for a in (rng.normal(size=(20, 4)), n, pooled, c, w, w)))


@pytest.mark.parametrize("name", list(MODELS))
def test_gradients_are_finite_differences(name: str, rng: np.random.Generator) -> None:
    model, rows = MODELS[name], some_rows(rng)
    params = some_params(model, rng, use_ard=name == "beta-gp-ab")
    flat, restore = ravel_pytree(params)
    total, jitter = jnp.asarray(float(rows.n.sum())), jnp.asarray(1e-6)

    def loss_and_slope(x: np.ndarray) -> tuple[float, Params]:
        loss, slope = compiled_slope(model, restore(jnp.asarray(x)), rows, total, jitter)
        return float(loss), slope

    middle = np.asarray(flat)
    slope = np.asarray(ravel_pytree(loss_and_slope(middle)[1])[0])
    for _ in range(4):
        step = rng.normal(size=flat.size)
        step *= 1e-5 / np.linalg.norm(step)
        difference = (loss_and_slope(middle + step)[0] - loss_and_slope(middle - step)[0]) / 2.0
        assert slope @ step == pytest.approx(difference, rel=1e-4, abs=1e-10)


def test_padding_rows_weigh_nothing(rng: np.random.Generator) -> None:
    model, rows = MODELS["beta-gp-slp"], some_rows(rng)
    params, total, jitter = some_params(model, rng), jnp.asarray(50.0), jnp.asarray(1e-6)
    other = rows._replace(
        X=rows.X.at[17:].set(9.0),
        n=rows.n.at[17:].set(7.0),
        likelihood_n=rows.likelihood_n.at[17:].set(3.0),
        likelihood_c=rows.likelihood_c.at[17:].set(1.0),
    )
    first, second = (compiled_elbo(model, params, r, total, jitter) for r in (rows, other))
    assert float(first) == pytest.approx(float(second))


def test_joint_draws_have_the_marginal_moments(rng: np.random.Generator) -> None:
    model = Model()
    params, X = some_params(model, rng), jnp.asarray(rng.normal(size=(5, 4)))
    jitter, n_draws = jnp.asarray(1e-6), 40_000
    mean, variance = jax.jit(latent, static_argnames="model")(model, params, X, jitter)
    m = params.mean.shape[1]
    draws = jax.jit(draw_latent, static_argnames="model")(
        model,
        params,
        X,
        jitter,
        jnp.asarray(rng.standard_normal((2, n_draws, m))),
        jnp.asarray(rng.standard_normal((2, n_draws, 5))),
    )
    # Four standard errors of a mean, and of a variance of normal draws.
    close = 4.0 * np.sqrt(variance / n_draws)
    assert (np.abs(draws.mean(1) - mean) < close).all()
    assert (np.abs(draws.var(1) - variance) < 4.0 * variance * np.sqrt(2.0 / n_draws)).all()
