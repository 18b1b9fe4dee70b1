"""aaa-2021-code: the settings of the authors' code."""

from accuracy_assay.estimators.paper.aaa_2021_code import AAA2021Code


def test_what_the_code_says_is_what_it_does() -> None:
    estimator = AAA2021Code()
    model = estimator.model()
    assert (estimator.first_steps, estimator.round_steps, estimator.learning_rate) == (
        *(2000, 100),
        0.01,
    )
    assert (model.supervision, model.count_clip) == ("gamma", (0.01, 10.0))
    assert (estimator.link, estimator.use_ard, estimator.values) == ((6.0, -3.0), True, "numbers")
    assert (estimator.reading, estimator.kappa_from) == ("code", "first")
    assert estimator.latent_mean == "learned"


def test_an_arm_of_five_labels_is_pooled_with_two_more_at_a_third_each() -> None:
    pooling = AAA2021Code().model().pooling
    assert pooling is not None
    assert 5.1 < pooling.threshold < 6.0  # lambda is among the counts
    assert (pooling.n_neighbours, pooling.use_self, pooling.use_kernel) == (2, True, False)
