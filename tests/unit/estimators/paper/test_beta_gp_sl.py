"""BetaGP-SL: settings of the supervision of the scale; what it does stands in the golden tests."""

import numpy as np
import pytest

from accuracy_assay.domain.affiliation import Affiliation
from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.estimators.paper.beta_gp import BetaGP
from accuracy_assay.estimators.paper.beta_gp_sl import BetaGPSL


def test_draws_have_the_moments_and_quantiles(check_rates) -> None:
    check_rates(BetaGPSL())


def test_by_default_the_shares_of_observed_arms_supervise_the_scale() -> None:
    model = BetaGPSL().model()
    assert (model.supervision, model.supervise_rest) == ("dirichlet", False)
    assert model._replace(supervision="none") == BetaGP().model()


@pytest.mark.parametrize("supervision", ["dirichlet", "gamma"])
def test_arms_without_labels_take_part_where_all_are_wanted(supervision: str) -> None:
    model = BetaGPSL(supervision=supervision, supervised_arms="all").model()  # type: ignore[arg-type]
    assert (model.supervision, model.supervise_rest) == (supervision, True)


@pytest.mark.parametrize("supervision", ["dirichlet", "gamma"])
def test_without_weight_it_is_beta_gp_and_with_more_it_is_further_from_it(
    supervision: str,
) -> None:
    space = AttributeSpace((Attribute("a", (0, 1, 2)),))
    arms = np.repeat([0, 1, 2], [30, 6, 1])
    support = Support.count(space, None, [0, 1, 2], [50.0, 20.0, 10.0])
    seen = Observations.from_instances(support, Affiliation.exact(arms.tolist()), arms % 2)

    def spread(estimator: BetaGP) -> np.ndarray:
        return estimator.fit(seen, np.random.default_rng(0)).sd

    settings = {"supervision": supervision, "first_steps": 40, "n_draws": 0}
    plain = spread(BetaGP(first_steps=40, n_draws=0))
    none, half, whole = (
        spread(BetaGPSL(supervision_weight=weight, **settings))  # type: ignore[arg-type]
        for weight in (0.0, 0.5, 1.0)
    )
    np.testing.assert_array_equal(none, plain)
    assert 0.0 < np.abs(half - plain).max() < np.abs(whole - plain).max()
