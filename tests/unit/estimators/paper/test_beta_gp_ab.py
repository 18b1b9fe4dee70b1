"""BetaGP-ab: an accuracy is a draw of a Beta whose two parameters are smooth."""

import numpy as np

from accuracy_assay.estimators.paper.beta_gp_ab import BetaGPab


def test_draws_have_the_moments_and_quantiles(check_rates) -> None:
    check_rates(BetaGPab())


def test_equal_parameters_have_a_mean_of_one_half() -> None:
    mean, variance = np.full((2, 1), 1.4), np.full((2, 1), 0.6)
    found, _ = BetaGPab().moments(mean, variance)
    np.testing.assert_allclose(found, 0.5)


def test_it_has_two_latent_functions() -> None:
    model = BetaGPab().model()
    assert (model.likelihood, model.n_latent) == ("beta_alpha_beta", 2)
