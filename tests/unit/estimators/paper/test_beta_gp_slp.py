"""BetaGP-SLP: settings of the pooling; what it does stands in the tests of pooling."""

from accuracy_assay.estimators.paper.beta_gp_sl import BetaGPSL
from accuracy_assay.estimators.paper.beta_gp_slp import BetaGPSLP
from accuracy_assay.numerics.paper.pooling import Pooling
from accuracy_assay.registry import build_estimator


def test_draws_have_the_moments_and_quantiles(check_rates) -> None:
    check_rates(BetaGPSLP())


def test_by_default_arms_under_five_labels_pool_with_the_three_nearest() -> None:
    model = BetaGPSLP().model()
    assert model.pooling == Pooling(5.0, 3, use_self=True, use_kernel=True)
    assert model._replace(pooling=None) == BetaGPSL().model()


def test_the_research_codes_pooling_can_be_written_in_a_spec() -> None:
    table = {"threshold": 5.5, "n_neighbours": 2, "use_self": True, "use_kernel": False}
    built = build_estimator({"name": "beta-gp-slp", "pooling": table, "supervision": "gamma"})
    model = built.model()  # type: ignore[attr-defined]
    assert (model.pooling, model.supervision) == (Pooling(5.5, 2, True, False), "gamma")
