"""BetaGP: an accuracy is a draw of a Beta with smooth mean and scale."""

import numpy as np
from scipy.special import expit

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.paper.bern_gp import BernGP
from accuracy_assay.estimators.paper.beta_gp import BetaGP


def test_draws_have_the_moments_and_quantiles(check_rates) -> None:
    check_rates(BetaGP())


def observe(rng: np.random.Generator) -> Observations:
    space = AttributeSpace((Attribute("a", (0, 1, 2, 3)),))
    arms = np.repeat([0, 1, 2], [30, 6, 2])
    support = Support.count(space, None, [0, 1, 2, 3], [50.0, 20.0, 10.0, 5.0])
    scores = rng.random(arms.size) < 0.7
    return Observations.from_instances(support, Affiliation.exact(arms.tolist()), scores)


def test_a_given_scale_sets_how_far_accuracies_lie_from_their_mean(
    rng: np.random.Generator,
) -> None:
    seen = observe(rng)
    settings = {"first_steps": 5, "n_draws": 0}
    wide, narrow = (
        BetaGP(scale="constant", scale_level=level, **settings).fit(seen, rng)  # type: ignore[arg-type]
        for level in (1.0, 1e4)
    )
    assert (wide.sd > 1.5 * narrow.sd).all()
    share = BetaGP(scale="share", scale_level=10.0, **settings).fit(seen, rng)  # type: ignore[arg-type]
    assert (np.diff(share.sd) > 0.0).all()  # arms 0 to 3 have ever fewer labels


def test_the_mean_is_bern_gps_and_the_spread_is_larger() -> None:
    mean, variance = np.array([[0.7], [1.0]]), np.array([[0.5], [0.3]])
    ours, spread = BetaGP().moments(mean, variance)
    theirs, less = BernGP().moments(mean[:1], variance[:1])
    np.testing.assert_allclose(ours, theirs)
    assert spread[0] > less[0]


def test_the_mean_is_the_texts_sigmoid_of_f(rng: np.random.Generator) -> None:
    assert BetaGP().model().link == (1.0, 0.0)
    sharp = np.array([[[1.3]], [[1e6]]])  # a scale so large that a draw is its mean
    np.testing.assert_allclose(BetaGP().rates(sharp, rng), expit(1.3), atol=0.01)
