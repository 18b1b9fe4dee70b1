"""aaa-2021: the settings that the paper's text gives."""

from accuracy_assay.estimators.paper.aaa_2021 import AAA2021
from accuracy_assay.estimators.paper.beta_gp_slp import BetaGPSLP


def test_what_the_text_says_is_what_it_does() -> None:
    estimator = AAA2021()
    assert (estimator.first_steps, estimator.round_steps) == (1000, 50)
    assert (estimator.learning_rate, estimator.n_inducing) == (0.001, 50)
    assert (estimator.embedding_size, estimator.kappa_from) == (20, "first")
    assert (estimator.hidden_widths, estimator.latent_mean) == ((10, 20), "zero")


def test_its_model_is_that_of_beta_gp_slp() -> None:
    assert AAA2021().model() == BetaGPSLP().model()
    assert AAA2021().link == (1.0, 0.0)
