"""BetaGP-SLP: settings of the pooling; what it does stands in the tests of pooling."""

from accuracy_assay.estimators.paper.beta_gp_sl import BetaGPSL
from accuracy_assay.estimators.paper.beta_gp_slp import BetaGPSLP
from accuracy_assay.numerics.paper.pooling import Pooling


def test_draws_have_the_moments_and_quantiles(check_rates) -> None:
    check_rates(BetaGPSLP())


def test_by_default_arms_under_five_labels_pool_three_neighbours_by_the_kernel() -> None:
    model = BetaGPSLP().model()
    assert model.pooling == Pooling(5.0, 3, use_self=False, use_kernel=True)
    assert model._replace(pooling=None) == BetaGPSL().model()


def test_the_research_codes_pooling_and_supervision_can_be_asked_for() -> None:
    theirs = Pooling(threshold=5.5, n_neighbours=2, use_self=True, use_kernel=False)
    model = BetaGPSLP(pooling=theirs, supervision="gamma").model()
    assert (model.pooling, model.supervision) == (theirs, "gamma")
