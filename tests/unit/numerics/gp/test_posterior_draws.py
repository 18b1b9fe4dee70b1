"""Draws given the labels have the mean zero and the covariance of the posterior."""

from collections.abc import Callable

import numpy as np
import pytest
from latent_gp import as_labels, kernel, some_cells
from scipy.sparse import csr_array

from accuracy_assay.numerics.gp.anova import CellArrays, Layout
from accuracy_assay.numerics.gp.marginal_likelihood import AnyLabels, fit_at
from accuracy_assay.numerics.gp.mixture import Mixtures
from accuracy_assay.numerics.gp.posterior import predict
from accuracy_assay.numerics.gp.posterior_draws import posterior_draws
from accuracy_assay.runtime.precision import precision

N_DRAWS = 10_000


def exact(rng: np.random.Generator) -> AnyLabels:
    n = rng.integers(0, 9, 27).astype(float)
    return as_labels(rng.binomial(n.astype(int), 0.8).astype(float), n)


def mixed(rng: np.random.Generator) -> AnyLabels:
    """Return labels of which each may be of a few cells."""
    P = rng.dirichlet(np.full(27, 0.1), size=20)
    P[P < 0.02] = 0.0
    n = rng.integers(1, 5, 20).astype(float)
    return Mixtures(0.8 * n, n, csr_array(P / P.sum(axis=1, keepdims=True)))


@pytest.mark.parametrize("some_labels", [exact, mixed])
def test_their_covariance_is_that_of_the_posterior(
    some_labels: Callable[[np.random.Generator], AnyLabels], rng: np.random.Generator
) -> None:
    layout = Layout((3, 3, 3), (False, False, True), 3)
    with precision():
        labels = some_labels(rng)
        cells = some_cells(rng, 27)
        fitted = fit_at(layout.prior_mean, cells, labels, np.zeros(27), layout)
        targets = CellArrays(*(None if part is None else part[:14] for part in cells))
        _, variance, V = predict(fitted, targets)
        prior = np.asarray(kernel(fitted.theta, targets, targets, layout))
        posterior = prior - np.asarray(V @ V.T)
        drawn = posterior_draws(fitted, labels, targets, V, 12, N_DRAWS, rng)
    assert drawn.shape == (N_DRAWS, 12)
    posterior = posterior[:12, :12]
    np.testing.assert_allclose(np.diag(posterior), np.asarray(variance)[:12], rtol=1e-6)
    spread = np.diag(posterior)
    chance = np.sqrt((np.outer(spread, spread) + posterior**2) / N_DRAWS)
    assert np.max(np.abs(drawn.T @ drawn / N_DRAWS - posterior) / chance) < 4.5
    assert np.max(np.abs(drawn.mean(axis=0)) / np.sqrt(spread / N_DRAWS)) < 4.5
