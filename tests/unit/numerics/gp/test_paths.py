"""Draws given the labels have the mean zero and the covariance of the posterior."""

import jax.numpy as jnp
import numpy as np
from latent_gp import as_labels, some_cells

from accuracy_assay.numerics.gp.anova import CellArrays, Layout, kernel
from accuracy_assay.numerics.gp.evidence_search import fit_at
from accuracy_assay.numerics.gp.paths import posterior_draws
from accuracy_assay.numerics.gp.posterior import predict
from accuracy_assay.runtime.precision import precision

N_DRAWS = 10_000


def test_their_covariance_is_that_of_the_posterior(rng: np.random.Generator) -> None:
    layout = Layout((3, 3, 3), (False, False, True), 3)
    with precision():
        n = rng.integers(0, 9, 27).astype(float)
        labels = as_labels(rng.binomial(n.astype(int), 0.8).astype(float), n)
        cells = some_cells(rng, 27)
        fitted = fit_at(layout.prior_mean, cells, labels, np.zeros(27), layout)
        targets = CellArrays(*(None if part is None else part[:14] for part in cells))
        _, variance, V = predict(fitted, targets)
        prior = np.asarray(kernel(jnp.asarray(fitted.theta), targets, targets, layout))
        exact = prior - np.asarray(V @ V.T)
        drawn = posterior_draws(fitted, targets, V, 12, N_DRAWS, rng)
    assert drawn.shape == (N_DRAWS, 12)
    exact = exact[:12, :12]
    np.testing.assert_allclose(np.diag(exact), np.asarray(variance)[:12], rtol=1e-6)
    spread = np.diag(exact)
    chance = np.sqrt((np.outer(spread, spread) + exact**2) / N_DRAWS)
    assert np.max(np.abs(drawn.T @ drawn / N_DRAWS - exact) / chance) < 4.5
    assert np.max(np.abs(drawn.mean(axis=0)) / np.sqrt(spread / N_DRAWS)) < 4.5
