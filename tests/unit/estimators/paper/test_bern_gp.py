"""BernGP: an accuracy is the sigmoid of one latent value, and has no spread beside it."""

import numpy as np
import pytest
from scipy.special import expit

from accuracy_assay.estimators.paper.bern_gp import BernGP


def test_draws_have_the_moments_and_quantiles(check_rates) -> None:
    check_rates(BernGP())


def test_quantiles_are_those_of_f() -> None:
    found = BernGP().quantiles(np.array([[0.7]]), np.array([[4.0]]), (0.5, 0.975))
    assert found[0, 0] == pytest.approx(expit(0.7))
    assert found[1, 0] == pytest.approx(expit(0.7 + 1.959964 * 2.0))


def test_it_has_one_latent_function_and_no_supervision() -> None:
    model = BernGP().model()
    assert (model.likelihood, model.n_latent) == ("bernoulli", 1)
    assert (model.supervision, model.pooling) == ("none", None)
