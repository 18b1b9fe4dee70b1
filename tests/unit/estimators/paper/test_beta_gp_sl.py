"""BetaGP-SL: settings of the supervision of the scale; what it does stands in the golden tests."""

import pytest

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
