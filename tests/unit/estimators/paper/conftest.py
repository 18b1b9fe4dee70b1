"""One law for all: moments, quantiles and draws of an estimator describe the same distribution."""

from collections.abc import Callable

import numpy as np
import pytest

from accuracy_assay.estimators.paper.variational import VariationalGP

MEAN = np.array([[-1.0, 0.4, 2.0], [0.5, 2.0, 1.0]])
VARIANCE = np.array([[0.8, 0.1, 0.5], [0.4, 0.3, 0.2]])
LEVELS = (0.1, 0.5, 0.9)
N_DRAWS = 20_000


@pytest.fixture
def check_rates(rng: np.random.Generator) -> Callable[[VariationalGP], None]:
    """Return a check of an estimator at three arms of uncertain f and g."""

    def check(estimator: VariationalGP) -> None:
        n_latent = estimator.model().n_latent
        latents = MEAN[:, None] + np.sqrt(VARIANCE)[:, None] * rng.standard_normal((2, N_DRAWS, 3))
        rates = estimator.rates(latents[:n_latent], rng)
        mean, variance = estimator.moments(MEAN[:n_latent], VARIANCE[:n_latent])
        # Four standard errors of a mean; a variance within a twentieth.
        close = 4.0 * np.sqrt(variance / N_DRAWS)
        assert (np.abs(rates.mean(axis=0) - mean) < close).all()
        np.testing.assert_allclose(rates.var(axis=0), variance, rtol=0.05)
        quantiles = estimator.quantiles(MEAN[:n_latent], VARIANCE[:n_latent], LEVELS)
        # A sampled quantile has a standard error of about 0.005 where the density is near one.
        np.testing.assert_allclose(quantiles, np.quantile(rates, LEVELS, axis=0), atol=0.025)

    return check
