"""From cells to arms: the pool's own composition, arms outside the pool, joint draws."""

import numpy as np
import pytest

from accuracy_assay.domain.cells import Support
from accuracy_assay.domain.observations import Observations
from accuracy_assay.domain.space import Attribute, AttributeSpace
from accuracy_assay.errors import InputError
from accuracy_assay.estimators.anova.arm_summary import ArmSummary, summarise
from accuracy_assay.estimators.anova.fit import fit_model
from accuracy_assay.estimators.anova.model import AnovaModel
from accuracy_assay.numerics.intervals.logit_normal import logit_normal_interval
from accuracy_assay.runtime.arrays import FloatArray, IntArray

SPACE = AttributeSpace(
    (Attribute("a", values=("p", "q", "r", "s")), Attribute("b", values=("x", "y", "z")))
)
STRATA = AttributeSpace((Attribute("sure", kind="continuous", edges=(0.2, 0.5)),))
# Mostly right, but for value z of b, where it is right one time in five.
RATE = np.tile([0.95, 0.9, 0.2], 4)


def fitted(support: Support, cells: IntArray, n: FloatArray, y: FloatArray) -> AnovaModel:
    return fit_model(
        Observations.exact(support, cells, n, y, y),
        None,
        likelihood="mixture",
        split_share=0.0,
        first_steps=15,
        later_steps=6,
        growth=0.1,
    )


def labels_of_eleven(n_arms: int, *, is_pool: bool = False) -> tuple[AnovaModel, ArmSummary]:
    """Return a fit to labels of all arms but the last, which the pool may have or not."""
    arms = np.arange(n_arms)
    support = Support(SPACE, None, arms, np.full(arms.size, 100.0), is_pool)
    model = fitted(support, np.arange(11), np.full(11, 20.0), 20.0 * RATE[:11])
    return model, summarise(model, 0.9)


def test_an_arm_outside_the_pool_is_estimated_like_one_of_it_without_labels() -> None:
    _, inside = labels_of_eleven(12)
    _, outside = labels_of_eleven(11)
    for name in ("mean", "sd", "lower", "upper"):
        there, here = getattr(outside, name), getattr(inside, name)
        np.testing.assert_allclose(there, here, rtol=1e-5, err_msg=name)


def test_an_arm_outside_the_pool_leans_on_those_that_share_its_values() -> None:
    _, summary = labels_of_eleven(11)
    # Arm 11 has the value of b on which every other arm is mostly wrong.
    assert summary.mean[11] < 0.5
    assert summary.lower[11] < summary.mean[11] < summary.upper[11]
    assert summary.sd[11] > summary.sd[:11].max()
    assert summary.in_pool.tolist() == list(range(11))


def test_outside_the_pool_strata_count_as_they_do_in_the_pool() -> None:
    # Of three strata the pool has the first and the last, three to one; all labels of the last are
    # wrong. Strata of one arm move together, so an arm's deviation is the mean of its cells'.
    cells = np.concatenate([np.arange(11) * 3, np.arange(11) * 3 + 2])
    size = np.repeat([75.0, 25.0], 11)
    order = np.argsort(cells)
    support = Support(SPACE, STRATA, cells[order], size[order])
    right = np.repeat([19.0, 1.0], 11)[order]
    model = fitted(support, cells[order], np.full(22, 20.0), right)
    summary = summarise(model, 0.9)
    assert summary.mean[11] == pytest.approx(0.75 * 0.95 + 0.25 * 0.05, abs=0.05)
    assert summary.sd[11] > 0.5 * summary.sd[:11].max()


def test_means_and_deviations_follow_from_the_pool_s_composition() -> None:
    cells = np.arange(36)
    size = np.tile([10.0, 20.0, 70.0], 12)
    support = Support(SPACE, STRATA, cells, size)
    n = np.tile([2.0, 0.0, 5.0], 12)
    y = np.tile([1.0, 0.0, 4.0], 12)
    seen = n > 0.0
    model = fitted(support, cells[seen], n[seen], y[seen])
    summary = summarise(model, 0.9)
    rate, spread = model.moments
    left = size - n
    np.testing.assert_allclose(
        summary.mean, (y + left * rate).reshape(12, 3).sum(axis=1) / 100.0, rtol=1e-9
    )
    covariance = model.covariance(cells, cells)
    coin = rate * (1.0 - rate) - spread
    for arm in range(12):
        at = np.arange(3 * arm, 3 * arm + 3)
        w = left[at] / 100.0
        variance = w @ covariance[np.ix_(at, at)] @ w + left[at] @ coin[at] / 100.0**2
        assert summary.sd[arm] ** 2 == pytest.approx(variance, rel=1e-6)


def test_draws_have_the_moments_of_the_summary() -> None:
    model, summary = labels_of_eleven(11, is_pool=True)
    draws = summary.draw(model, np.random.default_rng(0))
    assert draws.shape == (512, 12)
    # The standard error of a mean over 512 draws is sd / 23.
    np.testing.assert_allclose(draws.mean(axis=0), summary.mean, atol=4 * summary.sd.max() / 23)
    np.testing.assert_allclose(draws.std(axis=0)[:11], summary.sd[:11], rtol=0.25)


def test_the_error_to_expect_is_the_mean_variance_of_active_arms() -> None:
    sizes = np.array([100.0] * 10 + [2.0])
    support = Support(SPACE, None, np.arange(11), sizes)
    summary = summarise(fitted(support, np.arange(5), np.full(5, 9.0), 9.0 * RATE[:5]), 0.9)
    expected = 100.0 * np.mean(summary.sd[:10] ** 2)
    assert summary.details["expected_macro_mse"] == pytest.approx(expected)
    assert summary.details["target"] == "pool"


def test_draws_of_more_arms_than_memory_holds_are_refused_and_the_arms_are_there(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    model, summary = labels_of_eleven(12)
    monkeypatch.setattr("accuracy_assay.estimators.anova.arm_summary.MOST_DRAWN_ARMS", 11)
    with pytest.raises(InputError, match=r"a pool with at most 11 arms; got 12\. Estimates of"):
        summary.draw(model, rng)
    assert summary.mean.size == 12


@pytest.mark.parametrize("is_pool", [True, False])
@pytest.mark.parametrize("is_flipped", [False, True])
def test_near_one_and_zero_an_interval_ends_there_if_every_label_agrees(
    is_pool: bool, is_flipped: bool
) -> None:
    # Arm 0: 40 of 40 right; arm 1: 39 of 40. Both of 2,000 rows, as are ten arms like them.
    arms = np.arange(12)
    support = Support(SPACE, None, arms, np.full(12, 2000.0), is_pool)
    right = np.array([40.0, 39.0] * 6)
    right = 40.0 - right if is_flipped else right
    model = fitted(support, arms, np.full(12, 40.0), right)
    summary = summarise(model, 0.9)
    near = (1.0 - summary.upper, 1.0 - summary.lower)  # distance to 1 of the ends of the interval
    near = (summary.lower, summary.upper) if is_flipped else near
    agree = np.arange(12) % 2 == 0
    assert (near[0][agree] == 0.0).all()
    assert (near[0][~agree] > 0.0).all()
    # All that may be missed lies on the other side: that end is the one of a central 80%.
    central = logit_normal_interval(summary.mean, summary.sd**2, 0.8)
    inner = central[1] if is_flipped else 1.0 - central[0]
    np.testing.assert_allclose(near[1][agree], inner[agree], atol=2.0 / 2000.0)
    assert ((summary.lower <= summary.mean) & (summary.mean <= summary.upper)).all()
    if is_pool:
        np.testing.assert_allclose(2000.0 * summary.lower, np.rint(2000.0 * summary.lower))
        np.testing.assert_allclose(2000.0 * summary.upper, np.rint(2000.0 * summary.upper))


def test_an_arm_without_labels_has_both_ends_from_the_model() -> None:
    arms = np.arange(12)
    support = Support(SPACE, None, arms, np.full(12, 5000.0), is_pool=False)
    model = fitted(support, arms[:11], np.full(11, 60.0), np.full(11, 60.0))
    summary = summarise(model, 0.9)
    assert (summary.upper[:11] == 1.0).all()
    assert summary.upper[11] < 1.0
